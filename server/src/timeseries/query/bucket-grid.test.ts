import { expect, test } from 'vitest'
import { testDatabase } from '../../../test/harness/database.ts'
import { DAY_MS } from '../storage/partition-names.ts'
import { createGrid } from './bucket-grid.ts'

test('the days of a time zone are computed in several statements, however many are needed', async () => {
  await using database = await testDatabase()
  let statements = 0
  const counting = database.db.withPlugin({
    transformQuery: ({ node }) => {
      statements++
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  })
  const firstMs = Date.UTC(1969, 0)
  const grid = createGrid(
    { type: 'sum', interval: { unit: 'days', count: 1 }, timeZone: 'Europe/Berlin' },
    firstMs,
  )
  const noons = Array.from({ length: 1200 }, (_, day) => firstMs + (day + 0.5) * DAY_MS)
  await grid.prepare(counting, noons)
  // Germany had no summer time then.
  expect(noons.map((ms) => grid.find(ms).startMs)).toEqual(noons.map((ms) => ms - 13 * 3_600_000))
  expect(statements).toBeGreaterThan(2)
})

test('a time zone that the database does not know is refused', async () => {
  await using database = await testDatabase()
  const interval = { unit: 'days', count: 1 } as const
  const grid = createGrid({ type: 'sum', interval, timeZone: 'Mars/Olympus' }, 0)
  await expect(grid.prepare(database.db, [0])).rejects.toMatchObject({
    code: 'validation_error',
    details: { issues: [{ path: 'timeZone', message: 'is not known to the database' }] },
  })
})
