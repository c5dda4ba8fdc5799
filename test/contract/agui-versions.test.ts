import { run, started } from "../support/agui-events.js";
import { agui, refused } from "./agui.js";

const declared = (protocolVersion: string) =>
  run().map((event) => (event.type === "RUN_STARTED" ? { ...event, protocolVersion } : event));

agui("AG-UI versions", [
  ...[undefined, "1.1", "1.0", "0.9", "0.0", "01.01", "1.00"].map((version) => ({
    name: `J10: a producer of ${version ?? "no declared version"} is quiet`,
    steps: version === undefined ? run() : declared(version),
    status: "finished" as const,
    run: { protocolVersion: version },
  })),
  ...["1.2", "1.10", "2.0", "10.0", "1.11"].map((version) => ({
    name: `J8, J10: a newer producer of ${version} is served with a warning`,
    steps: declared(version),
    status: "finished" as const,
    run: { protocolVersion: version },
    warnings: [
      {
        code: "version_newer",
        path: "/protocolVersion",
        subject: version,
        eventType: "RUN_STARTED",
        message: "1.1",
        eventIndex: 0,
      },
    ],
  })),
  ...["1", "1.0.0", "draft", "", "1.", ".1", "v1.1", "1.1-beta", " 1.1", "１.1"].map((version) => ({
    name: `J8: a version of ${JSON.stringify(version)} cannot be read and is taken for a newer one`,
    steps: declared(version),
    status: "finished" as const,
    run: { protocolVersion: version },
    warnings: [{ code: "version_unreadable", path: "/protocolVersion", subject: version, message: "cannot interpret" }],
  })),
  {
    name: "J8: numbers are compared without bounds",
    steps: declared(`0.${"9".repeat(400)}`),
    status: "finished",
  },
  {
    name: "J10: every run of a stream declares for itself",
    steps: [...declared("1.2"), ...run(), ...declared("1.2")],
    warnings: [
      { code: "version_newer", path: "/protocolVersion" },
      { code: "version_newer", path: "/protocolVersion" },
    ],
    run: { protocolVersion: "1.2" },
  },
  {
    name: "J10: a run that declares none has none",
    steps: [...declared("1.1"), ...run()],
    run: { protocolVersion: undefined },
  },
  ...refused(
    "J8: a version is a string",
    [],
    started({ protocolVersion: 1.1 }),
    { code: "bad_event", path: "/protocolVersion" },
    {
      start: false,
      follow: started(),
    },
  ),
]);
