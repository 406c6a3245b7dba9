/** Measures several servers as processes, with NATS: what they cost, how late they answer, and how one that dies is replaced. */
import type { BenchCase } from '../bench-case.ts'
import { measureAcknowledgements } from './nodes/acknowledgements.ts'
import { measureCosts } from './nodes/costs.ts'
import { measurePush } from './nodes/push.ts'
import { measureTakeover } from './nodes/takeover.ts'

export const nodes: BenchCase = {
  name: 'nodes',
  about: 'several servers and NATS: processor time by role, PUBACK through the stream, push, a dead server',
  maxSeconds: 3600,
  isOnRequest: true,
  async run(bench) {
    return [
      ...(await measureCosts(bench)),
      ...(await measureAcknowledgements(bench)),
      ...(await measurePush(bench)),
      ...(await measureTakeover(bench)),
    ]
  },
}
