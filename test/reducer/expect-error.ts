import { expect } from "vitest";
import { type ErrorCode, StreamfoldError } from "../../src/errors.js";

/** Runs a call that must throw a StreamfoldError of this code, and gives the error back. */
export function failing(call: () => unknown, code: ErrorCode): StreamfoldError {
  let thrown: unknown;
  try {
    call();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(StreamfoldError);
  expect((thrown as StreamfoldError).code).toBe(code);
  return thrown as StreamfoldError;
}

/** Like `failing`, for a promise. */
export async function failingAsync(promise: Promise<unknown>, code: ErrorCode): Promise<StreamfoldError> {
  const thrown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  return failing(() => {
    if (thrown !== undefined) throw thrown;
  }, code);
}
