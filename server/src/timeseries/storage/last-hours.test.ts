/** The hour after which a series has no rows. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { insertTenant } from '../../../test/harness/telemetry.ts'
import { ensureSeries } from './ensure-series.ts'
import { HOUR_MS, raiseLastHours, updateLastHours } from './last-hours.ts'
import type { Owner } from './series-key.ts'
import { createSeriesRegistry, findStream } from './series-registry.ts'

let database: TestDatabase
let tenantNumber: number
beforeAll(async () => {
  database = await testDatabase()
  tenantNumber = await insertTenant(database, 'a')
})
afterAll(() => database[Symbol.asyncDispose]())

/** What one node knows of the stream of a client with the series a, b and c. */
async function openStream(ownerId: string) {
  const owner: Owner = { tenantNumber, ownerType: 'client', ownerId }
  const registry = createSeriesRegistry()
  const needed = {
    owner,
    type: 'telemetry',
    componentId: '',
    names: ['a', 'b', 'c'],
    values: [1, 1, 1],
  } as const
  await ensureSeries(database.db, registry, [
    { ...needed, names: [...needed.names], values: [...needed.values] },
  ])
  const stream = findStream(registry, owner, 'telemetry')!
  const row = (hour: number, ...slots: number[]) => ({ stream, timeMs: hour * HOUR_MS + 5, slots })
  return { stream, row }
}

async function readHours(number: number): Promise<(number | null)[]> {
  const { last_hours: hours } = await database.db
    .selectFrom('streams')
    .select('last_hours')
    .where('number', '=', number)
    .executeTakeFirstOrThrow()
  return hours
}

const noDatabase = new Proxy(
  {},
  {
    get: () => {
      throw new Error('the database was asked')
    },
  },
) as typeof database.db

test('advances with the newest row of each series, and needs no statement otherwise', async () => {
  const { stream, row } = await openStream('one')
  await raiseLastHours(database.db, [row(7, 1), row(9, 3), row(8, 1, 3)])
  expect(await readHours(stream.number)).toEqual([8, null, 9])
  await raiseLastHours(noDatabase, [row(8, 1), row(-100, 3), row(9, 3)])
  await raiseLastHours(database.db, [row(-3, 2), row(10, 1)])
  expect(await readHours(stream.number)).toEqual([10, -3, 9])
  const { stream: again, row: rowAgain } = await openStream('one')
  expect(again.lastHours).toEqual([10, -3, 9])
  await raiseLastHours(noDatabase, [rowAgain(10, 1), rowAgain(-3, 2), rowAgain(9, 3)])
})

test('an hour before 1970 is later than none', async () => {
  const { stream, row } = await openStream('old')
  await raiseLastHours(database.db, [row(9, 3)])
  const { row: rowAgain } = await openStream('old')
  await raiseLastHours(database.db, [rowAgain(-50, 1)])
  expect(await readHours(stream.number)).toEqual([-50, null, 9])
})

test('nodes that raise the same streams at once keep the latest hour of each', async () => {
  const names = ['x', 'y', 'z']
  const nodes = await Promise.all(Array.from({ length: 6 }, () => Promise.all(names.map(openStream))))
  await Promise.all(
    nodes.map(async (streams, node) => {
      const ordered = node % 2 ? streams : streams.toReversed()
      for (let hour = node; hour < 40; hour += 6)
        await raiseLastHours(
          database.db,
          ordered.map(({ row }) => row(hour, (hour % 3) + 1)),
        )
    }),
  )
  for (const { stream } of nodes[0]!) expect(await readHours(stream.number)).toEqual([39, 37, 38])
})

test('an hour that could not be stored is raised again', async () => {
  const { stream, row } = await openStream('again')
  await expect(raiseLastHours(noDatabase, [row(5, 1)])).rejects.toThrow()
  expect(stream.lastHours).toEqual([])
  await raiseLastHours(database.db, [row(5, 1)])
  expect(await readHours(stream.number)).toEqual([5])
})

test('streams that were deleted, and streams without rows, do no harm', async () => {
  const { stream } = await openStream('empty')
  await updateLastHours(
    database.db,
    new Map([
      [stream.number, []],
      [2_000_000_000, [4]],
    ]),
  )
  expect(await readHours(stream.number)).toEqual([])
})
