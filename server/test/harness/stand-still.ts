/** Lets this process do nothing for longer than any device waits for an answer. [nodes/pauses.ts] */
export const standStill = (): void =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STILL_MS)

const STILL_MS = 1100
