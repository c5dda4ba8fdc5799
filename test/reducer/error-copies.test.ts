import { describe, expect, it } from "vitest";
import { StreamfoldError } from "../../src/errors.js";

describe("errors of two copies of the package", () => {
  it("are known to each other's class, and nothing else is", async () => {
    const copy = "../../src/errors.js?copy";
    const other = (await import(copy)) as { StreamfoldError: typeof StreamfoldError };
    expect(other.StreamfoldError).not.toBe(StreamfoldError);
    expect(new other.StreamfoldError({ code: "closed" })).toBeInstanceOf(StreamfoldError);
    expect(new StreamfoldError({ code: "closed" })).toBeInstanceOf(other.StreamfoldError);
    expect(Object.keys(new StreamfoldError({ code: "closed" }))).toEqual(["name", "code", "scope"]);
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    for (const value of [new Error("x"), { code: "closed" }, "closed", null, undefined, 5, proxy]) {
      expect(value instanceof StreamfoldError).toBe(false);
    }
  });
});
