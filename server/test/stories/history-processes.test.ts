/**
 * Several processes on one database: one stores and deletes, one packs and one moves samples of an earlier version, both of
 * which are killed again and again, and one answers queries. No answer is ever wrong, and what is stored in the end is what a
 * plain list in memory has. [docs/telemetry#packed]
 */
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { childProgram, type Program } from '../harness/child-program.ts'
import { testDatabase, type TestDatabase } from '../harness/database.ts'
import {
  deleteOwner,
  type HistoryWorld,
  packedAtMs,
  storeFormer,
  storeMessages,
} from '../harness/history/apply-operation.ts'
import { compareBuckets, compareCsv, compareLatest, compareRaw } from '../harness/history/compare-answers.ts'
import { grids } from '../harness/history/grid-keys.ts'
import { beginDeleting, beginStoring, createLives, type Lives } from '../harness/history/lives.ts'
import { anyMessage, dropSignOfZero, type Message, owners } from '../harness/history/operations.ts'
import { watchMaximum, watchRaw } from '../harness/history/watch-answers.ts'
import { testLog as log } from '../harness/log.ts'
import { rounds } from '../harness/rounds.ts'
import { insertClient } from '../harness/telemetry.ts'
import { timeseriesClient } from '../harness/timeseries-api.ts'
import { listFormerPartitions } from '../../src/timeseries/storage/former/former-partitions.ts'
import { moveFormerSamples } from '../../src/timeseries/storage/former/move-former.ts'
import { packSamples } from '../../src/timeseries/storage/packed/pack-samples.ts'
import { createRowTables } from '../../src/timeseries/storage/row-tables.ts'

let database: TestDatabase
let program: Program
beforeAll(async () => {
  database = await testDatabase()
  program = await childProgram('history-process')
})
afterAll(async () => {
  await program[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

/** To repeat a run that failed. */
const seed = Number(process.env.GANGWAY_TEST_SEED ?? Date.now() % 1_000_000_000)
const base = Date.parse('2026-10-25')
const FORMER = 30
const BATCHES = rounds(400, 40)
const MAX_BATCH = 8
const MAX_LIFE_MS = 400

const draw = <T>(arbitrary: fc.Arbitrary<T>, numRuns: number) => fc.sample(arbitrary, { seed, numRuns })

type Step = { kind: 'store'; messages: Message[] } | { kind: 'delete' }
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('store' as const),
      messages: fc.array(anyMessage(base), { minLength: 1, maxLength: MAX_BATCH }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const) }) },
)

/** Stores step by step, and deletes one of the owners now and then. */
async function writeSteps(world: HistoryWorld, lives: Lives): Promise<void> {
  for (const step of draw(anyStep, BATCHES)) {
    if (step.kind === 'store') {
      const end = beginStoring(lives, step.messages)
      await storeMessages(world, step.messages)
      end()
    } else {
      const end = beginDeleting(lives, 'b')
      await deleteOwner(world, 'b')
      end()
    }
  }
}

/** Starts a process again and again, and kills it after a random time. @returns how many were killed */
async function keepKilling(role: 'pack' | 'move', isDone: () => boolean): Promise<number> {
  const lives = draw(fc.integer({ min: 1, max: MAX_LIFE_MS }), 1000)
  let killed = 0
  for (; !isDone(); killed++) {
    const child = program.run(role, database.url)
    await child.firstLine
    await sleep(lives[killed % lives.length]!)
    await child.kill9()
  }
  return killed
}

test(`nothing is lost, doubled or left over while processes are killed (seed ${seed})`, async () => {
  const tenantId = 'several'
  const clients = []
  for (const owner of owners) clients.push(await insertClient(database, tenantId, owner))
  const { tenantNumber } = clients[0]!
  const world: HistoryWorld = { database, tenantNumber, base, stored: new Map(), former: new Map() }
  const lives = createLives()
  const former = draw(anyMessage(base).map(dropSignOfZero), FORMER)
  await storeFormer(world, { base, former, operations: [] })
  beginStoring(lives, [...world.stored.values()])()
  const api = timeseriesClient(await program.run('answer', database.url).firstLine)

  let isWritten = false
  const isDone = () => isWritten
  const writing = writeSteps(world, lives).finally(() => (isWritten = true))
  const watch = async (look: (watched: Parameters<typeof watchRaw>[0]) => Promise<void>) => {
    while (!isDone()) await look({ api, tenantId, lives })
  }
  const killing = Promise.all([keepKilling('pack', isDone), keepKilling('move', isDone)])
  await Promise.all([writing, watch(watchRaw), watch(watchMaximum), killing])
  for (const killed of await killing) expect(killed).toBeGreaterThan(0)

  // What the killed processes have left.
  const asked = {
    api,
    tenantId,
    stored: world.stored,
    points: new Map(),
    from: Date.parse('0001-01-01T00:00:00Z'),
    to: Date.parse('9999-12-31T23:59:59.999Z'),
  }
  await compareRaw(asked)
  const { pool, db } = database
  // The lock of a mover that was killed is there for a moment.
  const moveRest = async () => {
    await moveFormerSamples({ pool, db, log, rowTables: createRowTables() })
    return listFormerPartitions(pool)
  }
  await expect.poll(moveRest).toEqual([])
  await packSamples({ pool, db, log }, { nowMs: packedAtMs })
  await compareRaw(asked)
  await compareLatest(asked)
  await compareCsv(asked)
  for (const grid of grids.slice(0, 3)) await compareBuckets(asked, { types: ['avg', 'max', 'last'], grid })
  for (const owner of owners) await deleteOwner(world, owner)
  const { rows } = await pool.query('select from sample_rows union all select from packed_rows limit 1')
  expect(rows).toHaveLength(0)
})
