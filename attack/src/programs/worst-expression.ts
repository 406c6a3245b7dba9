/**
 * Searches for the slowest expression: random expressions of at most 64 KB on values that fit into a message of 1 MB. It
 * runs in a worker, since it blocks its event loop.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { LogicError, readLogic } from '@gangway/server/dist/lib/json-logic.js'

export interface Worst {
  runs: number
  ms: number
  expression: string
}

const MAX_EXPRESSION = 65_536
const RUN_AGAIN = 6

const { seconds, seed } = workerData as { seconds: number; seed: number }
let state = seed
/** xorshift random numbers: the same seed gives the same search. */
function random(): number {
  state ^= state << 13
  state ^= state >>> 17
  state ^= state << 5
  return (state >>> 0) / 4_294_967_296
}
const below = (count: number) => Math.floor(random() * count)
const pick = <T>(list: readonly T[]): T => list[below(list.length)]!
const list = <T>(length: number, make: (index: number) => T) =>
  Array.from({ length }, (_, index) => make(index))

const messages = [
  {
    t: 'a'.repeat(900_000),
    u: `${'a'.repeat(50_000)}b${'a'.repeat(50_000)}`,
    l: list(100_000, (i) => i),
    n: '1'.repeat(300_000),
  },
  {
    t: 'é'.repeat(400_000),
    u: `${' '.repeat(100_000)}1`,
    l: list(60_000, (i) => `text ${i}`),
    n: `0.${'1'.repeat(200_000)}`,
  },
  {
    t: 'ab'.repeat(400_000),
    u: `${'ab'.repeat(30_000)}c`,
    l: list(20_000, (i) => ({ a: i, c: [i] })),
    n: '1e5',
  },
  { t: 'x', u: 'y', l: list(120_000, (i) => i * 1.234567891234e-5), n: '12.5' },
  { t: 'a'.repeat(100_000), u: 'a'.repeat(100_000), l: list(9, () => 'a'.repeat(100_000)), n: '12.5' },
]
const names = [
  't',
  'u',
  'l',
  'l',
  'n',
  '',
  'accumulator',
  'current',
  'a',
  'c.0',
  'l.5',
  'l.length',
  'a.'.repeat(500),
]
const long = 'a'.repeat(30_000)
const plain = [1, 0, 2.5, 'a', '1', true, null]
const operators = '== === < + - * / % max min in cat substr merge if and or ?? ! !! length'.split(' ')
const iterations = ['map', 'filter', 'all', 'some', 'none']

function expression(depth: number): unknown {
  const part = () => expression(depth - 1)
  const kind = depth <= 0 ? below(2) : below(10)
  if (kind === 0) return random() < 0.03 ? pick([long, `${long}b`]) : pick(plain)
  if (kind < 4) return { var: pick(names) }
  if (kind === 4) return list(1 + below(12), part)
  if (kind === 5) return { [pick(iterations)]: [part(), part()] }
  if (kind === 6) return { reduce: [part(), part(), part()] }
  return { [pick(operators)]: list(1 + below(random() < 0.05 ? 60 : 3), part) }
}

/** The shortest of several runs, since the machine may be busy. */
function measureMilliseconds(source: unknown, values: object): number {
  const logic = readLogic(source, 'expression')
  let ms = Infinity
  for (let run = 0; run < RUN_AGAIN && ms > 8; run++) {
    const startMs = performance.now()
    try {
      logic.run(values as Record<string, unknown>)
    } catch (error) {
      if (!(error instanceof LogicError)) throw error
    }
    ms = Math.min(ms, performance.now() - startMs)
  }
  return ms
}

const worst: Worst = { runs: 0, ms: 0, expression: '' }
for (const untilMs = performance.now() + seconds * 1000; performance.now() < untilMs;) {
  const source = expression(2 + below(4))
  const text = JSON.stringify(source)
  if (text.length > MAX_EXPRESSION) continue
  try {
    const ms = measureMilliseconds(source, pick(messages))
    worst.runs++
    if (ms > worst.ms) Object.assign(worst, { ms, expression: text.slice(0, 200) })
  } catch (error) {
    // The expression has too many parts.
    if ((error as { code?: string }).code !== 'validation_error') throw error
  }
}
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker's port has no origin
parentPort!.postMessage(worst)
