/** What a value has to be. */
export type Rule =
  | {
      /**
       * `timestamp`: an integer within ±(2^53−1); `count`: one from 0 to 2^53−1; `non-null`: any value but null;
       * `patch`: a list of the union `JsonPatchOperation`; `pointer`: a JSON pointer (RFC 6901).
       */
      kind: "string" | "boolean" | "timestamp" | "count" | "any" | "non-null" | "open-object" | "patch" | "pointer";
    }
  | { kind: "const"; value: string }
  | { kind: "enum"; values: readonly string[] }
  | { kind: "object"; shape: string }
  | { kind: "list"; of: Rule; min?: number }
  | { kind: "union"; union: string }
  | { kind: "text-or-list"; of: Rule };

export interface Member {
  name: string;
  rule: Rule;
  required: boolean;
  /** Older producers write null for an absent value. */
  legacyNull?: true;
}

export interface Shape {
  name: string;
  /** In the table's order: missing members are judged in it. */
  members: readonly Member[];
  /** Other members than these are kept. */
  open?: true;
}

export interface Union {
  name: string;
  discriminator: "role" | "type" | "op";
  /** Value of the discriminator to the name of the shape. */
  variants: Readonly<Record<string, string>>;
}
