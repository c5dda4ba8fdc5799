/**
 * Bytes of the caller's own: a `Uint8Array<ArrayBuffer>`, which `Response`, `Blob` and `WebSocket.send` take, written so that compilers before 5.7 know it, too.
 */
export type Bytes = ReturnType<typeof Uint8Array.of>;
