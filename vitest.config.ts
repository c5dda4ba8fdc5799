import { defineConfig } from "vitest/config";

/** Seconds one fuzz file may run under `npm run test:fuzz`; the ordinary suite takes each file's own short default. */
const FUZZ_SECONDS = process.env.STREAMFOLD_FUZZ_SECONDS ?? "60";

export default defineConfig(({ mode }) => ({
  test: {
    include: ["test/**/*.test.ts"],
    environment: "node",
    pool: "forks",
    maxWorkers: 2,
    testTimeout: mode === "fuzz" ? Number(FUZZ_SECONDS) * 1000 + 60_000 : 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
    reporters: ["default", "./test/support/reporter.ts"],
    ...(mode === "fuzz" ? { env: { STREAMFOLD_FUZZ_SECONDS: FUZZ_SECONDS } } : {}),
  },
}));
