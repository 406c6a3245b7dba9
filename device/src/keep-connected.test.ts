import { expect, test } from 'vitest'
import { quickClock } from '../test/quick-clock.ts'
import type { Credential } from './credentials.ts'
import { createCredentials } from './credentials.ts'
import { DeviceError } from './device-error.ts'
import type { Connection } from './keep-connected.ts'
import { keepConnected } from './keep-connected.ts'
import type { Session } from './session.ts'

const unreachable = new DeviceError('connection_failed', 'no route')
const refused = new DeviceError('credentials_refused', 'bad key')

/** The outcome of the n-th attempt: an error at once, or a session that lasts so many milliseconds. */
type Step = DeviceError | number

/** Runs the steps, then stops. Answers the waits between them and the keys they used. */
async function run(
  steps: Step[],
  keys: [Credential, ...Credential[]] = [{ name: 'primary', password: 'a' }],
) {
  const stop = new AbortController()
  const clock = quickClock(1)
  const waits: number[] = []
  const used: string[] = []
  let nowMs = 0
  clock.monotonicMs = () => nowMs
  const session = (lastsMs: number): Session => ({
    publish: () => undefined,
    get closed() {
      nowMs += lastsMs
      return Promise.resolve(new DeviceError('connection_lost', 'gone'))
    },
    end: () => Promise.resolve(),
  })
  const connection: Connection = {
    credentials: createCredentials(...keys),
    clock,
    stableAfterMs: 30_000,
    async open(credential) {
      used.push(credential.name)
      const step = steps.shift()
      if (steps.length === 0) stop.abort()
      if (typeof step === 'number') return session(step)
      throw step ?? unreachable
    },
    onOpen: () => undefined,
    onClosed: () => undefined,
    onFailed: () => undefined,
    onRetry: (_failures, delayMs) => waits.push(delayMs),
  }
  await keepConnected(connection, stop.signal)
  return { waits, used }
}

// [docs/mqtt#back-off]
test('waits 1 s, doubled each time, 60 s at most', async () => {
  const { waits } = await run(Array.from({ length: 9 }, () => unreachable))
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
})

test('only a stable connection resets the pause', async () => {
  const { waits } = await run([unreachable, unreachable, 29_999, 30_000, unreachable, unreachable])
  expect(waits).toEqual([1_000, 2_000, 4_000, 1_000, 2_000])
})

test('after one key is refused the other is tried at once; after both are refused it waits', async () => {
  const keys: [Credential, Credential] = [{ name: 'primary' }, { name: 'secondary' }]
  const { waits, used } = await run([refused, refused, refused, 40_000, unreachable, refused, 0, 0], keys)
  expect(used).toEqual([
    'primary',
    'secondary',
    'primary',
    'secondary', // accepted, so it stays
    'secondary',
    'secondary',
    'primary',
    'primary',
  ])
  expect(waits).toEqual([1_000, 1_000, 2_000, 4_000])
})

test('a single key that is refused waits like any failure', async () => {
  expect((await run([refused, refused, refused])).waits).toEqual([1_000, 2_000])
})
