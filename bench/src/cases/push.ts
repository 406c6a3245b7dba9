/** Measures push from commit to subscribers: the cost of matching, counting and keeping messages besides sending. */
import type { Bench, BenchCase } from '../bench-case.ts'
import { type Child, startProgram } from '../child.ts'
import { compare } from '../measure/finding.ts'
import { interleave } from '../measure/interleave.ts'
import { affordableConnections } from '../platform/affordable-connections.ts'
import type { PushHubProgram } from '../programs/push-hub.ts'
import type { PushWatchersProgram } from '../programs/push-watchers.ts'

const SUBSCRIBERS = 1000
const ROUNDS = 3
const ROUND_SECONDS = 1
/** Samples per second, each sent to all subscribers: at most a third of the capacity of one process. */
const SAMPLES_PER_SECOND = 20

type Variant = 'push' | 'bare'

export const push: BenchCase = {
  name: 'push',
  about: 'live telemetry to 1,000 subscribers, against a bare loop over their WebSockets',
  maxSeconds: 120,
  async run(bench) {
    const subscribers = affordableConnections(bench, SUBSCRIBERS)
    const hub = await bench.use(startProgram<PushHubProgram>('push-hub'))
    const watchers = await bench.use(startProgram<PushWatchersProgram>('push-watchers'))
    const url = `ws://127.0.0.1:${await hub.call('listen')}/`
    await watchers.call(
      'connect',
      Array.from({ length: subscribers }, () => url),
    )
    return [
      await measureThroughput(bench, hub, watchers, subscribers),
      ...(await measureLatency(bench, hub, watchers, subscribers)),
    ]
  },
}

async function measureThroughput(
  bench: Bench,
  hub: Child<PushHubProgram>,
  watchers: Child<PushWatchersProgram>,
  subscribers: number,
) {
  const sendAll = async (variant: Variant) => {
    const startedMs = performance.now()
    const sent = await hub.call('sendFor', variant, ROUND_SECONDS)
    await watchers.call('receive', sent)
    return sent / ((performance.now() - startedMs) / 1000)
  }
  await sendAll('bare')
  await sendAll('push')
  const measured = await interleave(bench, ROUNDS, {
    push: () => sendAll('push'),
    bare: () => sendAll('bare'),
  })
  return compare({
    measure: `messages/s to ${subscribers.toLocaleString('en')} subscribers`,
    unit: 'messages/s',
    better: 'more',
    rounds: measured.push,
    baseline: { name: 'a bare loop over the sockets', rounds: measured.bare },
    goal: { ratioAtLeast: 0.5 },
  })
}

async function measureLatency(
  bench: Bench,
  hub: Child<PushHubProgram>,
  watchers: Child<PushWatchersProgram>,
  subscribers: number,
) {
  const p99Ms: Record<Variant, number[]> = { push: [], bare: [] }
  const send = async (variant: Variant) => {
    const sent = await hub.call('sendAtRate', variant, SAMPLES_PER_SECOND, ROUND_SECONDS)
    const late = await watchers.call('receive', sent)
    p99Ms[variant].push(late.p99Ms)
    return late.p50Ms
  }
  const p50Ms = await interleave(bench, ROUNDS, { push: () => send('push'), bare: () => send('bare') })
  const finding = (name: string, rounds: Record<Variant, number[]>) =>
    compare({
      measure: `commit to client ${name}, ${subscribers.toLocaleString('en')} subscribers`,
      unit: 'ms',
      better: 'less',
      rounds: rounds.push,
      baseline: { name: 'a bare loop over the sockets', rounds: rounds.bare },
      details: { samplesPerSecond: SAMPLES_PER_SECOND },
    })
  return [finding('p50', p50Ms), finding('p99', p99Ms)]
}
