import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** Where published material that is not part of the project lies, when it does: tests against it say that they were skipped otherwise. */
const SHARED = process.env.STREAMFOLD_SHARED ?? fileURLToPath(new URL("../../../shared", import.meta.url));

/** The path of a file or folder of the published AG-UI 1.1 material, undefined when it is not there. */
export function publishedAgui(name: string): string | undefined {
  const found = path.join(SHARED, "ag-ui-1.1", name);
  return existsSync(found) ? found : undefined;
}
