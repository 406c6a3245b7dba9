import { setTimeout as sleep } from 'node:timers/promises'

const COLLECTIONS = 5
const PAUSE_MS = 200

/** Resident and heap bytes of this process (started with --expose-gc), once nothing more can be collected. */
export async function settledMemory() {
  for (let collection = 0; collection < COLLECTIONS; collection++) {
    globalThis.gc!()
    await sleep(PAUSE_MS)
  }
  return process.memoryUsage()
}
