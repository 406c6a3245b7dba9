/** A thread that has the main thread measure its memory, also in the middle of a synchronous function. */
import { Session } from 'node:inspector/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'

const POLL_MS = 20

const session = new Session()
session.connectToMainThread()
// A port that is listened to keeps the thread alive while it waits for an answer.
parentPort!.on('message', () => {})
for (;;) {
  // The next measurement begins after the previous one has ended.
  await session.post('Runtime.evaluate', { expression: 'measureMemory()' })
  await sleep(POLL_MS)
}
