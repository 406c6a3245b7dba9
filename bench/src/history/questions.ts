/** The questions that are put to all databases: checked first, then measured in turn. */
import type { Bench } from '../bench-case.ts'
import { ask } from '../http/ask.ts'
import { compare, type Finding, type Goal } from '../measure/finding.ts'
import { interleave } from '../measure/interleave.ts'
import { median } from '../measure/statistics.ts'
import { createRandom, SIGNALS } from './sensors.ts'
import { agree, type Answer, type Question, type Store } from './store.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const ROUNDS = 5
const QUESTIONS_A_ROUND = 6
/** So many that the code of every question is compiled. */
const WARM_UP_ROUNDS = 10

export interface StoredHistory {
  devices: string[]
  /** The start of the first day. */
  fromMs: number
  days: number
  /** Number and sum of the values that were stored. */
  readDay(question: Question): Answer
}

interface Kind {
  name: string
  isOfOneDay: boolean
  bucketMs?: number
  /** By the name of the database that it is compared with. */
  goals: Record<string, Goal>
}

const listKinds = ({ days }: StoredHistory): Kind[] => [
  {
    name: 'a day of a signal to averages of 5 minutes',
    isOfOneDay: true,
    bucketMs: 5 * MINUTE_MS,
    goals: { VictoriaMetrics: { ratioAtLeast: 1 } },
  },
  {
    name: `${days} days of a signal to averages of an hour`,
    isOfOneDay: false,
    bucketMs: 60 * MINUTE_MS,
    goals: { VictoriaMetrics: { ratioAtLeast: 1 } },
  },
  {
    name: 'a day of a signal raw',
    isOfOneDay: true,
    goals: { VictoriaMetrics: { ratioAtLeast: 0.5 }, InfluxDB: { ratioAtLeast: 1 } },
  },
]

/** @param stores the first one is compared with each of the others @throws if answers differ */
export async function measureQuestions(
  bench: Bench,
  stores: Store[],
  history: StoredHistory,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const kind of listKinds(history)) {
    // Every signal once, for which the answers are compared.
    for (const [index, signal] of SIGNALS.entries())
      await checkAnswers(stores, history, { ...makeQuestion(history, kind, createRandom(index)), signal })
    bench.progress(`${kind.name}: p50 in ms`)
    findings.push(...(await measure(bench, stores, { history, kind })))
  }
  return findings
}

async function measure(
  bench: Bench,
  stores: Store[],
  { history, kind }: { history: StoredHistory; kind: Kind },
): Promise<Finding[]> {
  const variants = stores.map((store) => {
    // Each database gets the same questions.
    const random = createRandom(0)
    const askRound = async () => {
      const millis: number[] = []
      for (let question = 0; question < QUESTIONS_A_ROUND; question++)
        millis.push((await ask(store.makeRequest(makeQuestion(history, kind, random)))).ms)
      return median(millis)
    }
    return [store.name, askRound] as const
  })
  for (const [, askRound] of variants) for (let round = 0; round < WARM_UP_ROUNDS; round++) await askRound()
  const measured = await interleave(bench, ROUNDS, Object.fromEntries(variants))
  const [own, ...others] = stores
  const rounds = measured[own!.name]!
  const finding = { measure: `${kind.name}, p50`, unit: 'ms' }
  if (others.length === 0) return [{ ...finding, value: median(rounds), rounds: { value: rounds } }]
  return others.map(({ name }) =>
    compare({
      ...finding,
      better: 'less',
      rounds,
      baseline: { name, rounds: measured[name]! },
      ...(kind.goals[name] && { goal: kind.goals[name] }),
    }),
  )
}

function makeQuestion(history: StoredHistory, kind: Kind, random: () => number): Question {
  const choose = (count: number) => Math.floor(random() * count)
  const [device, signal] = [
    history.devices[choose(history.devices.length)]!,
    SIGNALS[choose(SIGNALS.length)]!,
  ]
  const fromMs = history.fromMs + (kind.isOfOneDay ? choose(history.days) * DAY_MS : 0)
  const toMs = fromMs + (kind.isOfOneDay ? 1 : history.days) * DAY_MS
  return { device, signal, fromMs, toMs, ...(kind.bucketMs !== undefined && { bucketMs: kind.bucketMs }) }
}

async function checkAnswers(stores: Store[], history: StoredHistory, question: Question): Promise<void> {
  const { fromMs, toMs, bucketMs } = question
  const answers = new Map<string, Answer>()
  for (const store of stores)
    answers.set(store.name, store.readAnswer((await ask(store.makeRequest(question))).text))
  const first = answers.values().next().value!
  const expected = bucketMs === undefined ? history.readDay(question) : first
  if (bucketMs !== undefined) expected.count = (toMs - fromMs) / bucketMs
  for (const answer of answers.values())
    if (!agree(answer, expected))
      throw new Error(
        `the answers to ${JSON.stringify(question)} differ: ${JSON.stringify(Object.fromEntries(answers))}, expected ${JSON.stringify(expected)}`,
      )
}
