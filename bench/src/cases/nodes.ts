/** Measures several nodes: what they cost, how fast they answer, and how one that dies is replaced. */
import type { BenchCase } from '../bench-case.ts'
import type { Finding } from '../measure/finding.ts'
import { writeFinding } from '../report.ts'
import { measureAcknowledgements } from './nodes/acknowledgements.ts'
import { measureCosts } from './nodes/costs.ts'
import { measureHandover } from './nodes/handover.ts'
import { measurePush } from './nodes/push.ts'
import { measureTakeover } from './nodes/takeover.ts'

const PARTS = [measureTakeover, measureHandover, measurePush, measureAcknowledgements, measureCosts]

export const nodes: BenchCase = {
  name: 'nodes',
  about:
    'several servers and NATS: a dead and a stopped server, push, PUBACK through the stream, processor time by role',
  maxSeconds: 3600,
  isOnRequest: true,
  async run(bench) {
    const findings: Finding[] = []
    const failures: Error[] = []
    for (const measure of PARTS)
      try {
        const found = await measure(bench)
        // A run that is cut off, or in which another part fails, has measured these.
        for (const finding of found) bench.progress(writeFinding(finding))
        findings.push(...found)
      } catch (error) {
        failures.push(error as Error)
        bench.progress(`${measure.name} failed: ${(error as Error).message}`)
      }
    if (failures.length > 0) throw failures[0]
    return findings
  },
}
