import { aguiFoldCases } from "./agui/fold.js";
import { pipelineCases } from "./agui/pipeline.js";
import { aguiStateCases } from "./agui/state.js";
import type { Case } from "./case.js";
import { adapterCases } from "./cases/adapter.js";
import { msgpackCases, protobufCases } from "./cases/binary-fold.js";
import { emitCases } from "./cases/emit.js";
import { encodeCases } from "./cases/encode.js";
import { foldCases } from "./cases/fold.js";
import { forkCases } from "./cases/fork.js";
import { frameCases } from "./cases/frame.js";
import { growthCases } from "./cases/growth.js";
import { limitCases } from "./cases/limits.js";
import { loadCases } from "./cases/load.js";
import { objectCases } from "./cases/objects.js";
import { packedModelCases } from "./cases/packed-models.js";
import { partialCases } from "./cases/partial.js";
import { patchCases } from "./cases/patches.js";
import { produceCases } from "./cases/produce.js";
import { replayCases } from "./cases/replay.js";
import { slimCases } from "./cases/slim.js";
import { snapshotCases } from "./cases/snapshot.js";
import { transcodeCases } from "./cases/transcode.js";
import { transportCases } from "./cases/transports.js";
import { validateCases } from "./cases/validate.js";
import { coldStartCases } from "./cold-start.js";
import { memoryCases } from "./memory.js";

/** Every row of the benchmark. Rows that WebAssembly loses are part of it. */
export const CORPUS: readonly Case[] = [
  ...foldCases,
  ...slimCases,
  ...snapshotCases,
  ...loadCases,
  ...patchCases,
  ...forkCases,
  ...replayCases,
  ...frameCases,
  ...aguiFoldCases,
  ...aguiStateCases,
  ...partialCases,
  ...pipelineCases,
  ...growthCases,
  ...memoryCases,
  ...objectCases,
  ...coldStartCases,
  ...limitCases,
  ...validateCases,
  ...transportCases,
  ...encodeCases,
  ...produceCases,
  ...emitCases,
  ...msgpackCases,
  ...packedModelCases,
  ...protobufCases,
  ...transcodeCases,
  ...adapterCases,
];

/** The rows whose id or title matches. */
export function select(filter: RegExp | undefined): Case[] {
  return CORPUS.filter(({ id, title }) => filter === undefined || filter.test(id) || filter.test(title));
}
