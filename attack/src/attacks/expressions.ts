import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Attack } from '../attack.ts'
import type { Worst } from '../programs/worst-expression.ts'

const SECONDS = 15
const MAX_MS = 50

export const expressions: Attack = {
  name: 'expressions',
  about: 'a search for the JSONLogic expression that runs longest, beside the server',
  async run() {
    const seed = 1 + Math.floor(Math.random() * 1_000_000)
    const worker = new Worker(new URL('../programs/worst-expression.js', import.meta.url), {
      workerData: { seconds: SECONDS, seed },
    })
    const [worst] = (await once(worker, 'message')) as [Worst]
    const text = `of ${worst.runs} expressions (seed ${seed}) the worst took ${worst.ms.toFixed(1)} ms: ${worst.expression}`
    if (worst.ms > MAX_MS) throw new Error(`${text}; at most ${MAX_MS} ms`)
    return text
  },
}
