import type { QueryResult, UnknownRow } from 'kysely'
import { expect, test } from 'vitest'
import { testDatabase } from '../../../test/harness/database.ts'
import { readSamples } from './read-rows.ts'

test('a span without samples is read as no row, so that the wait of its query stays limited', async () => {
  await using database = await testDatabase()
  const results: QueryResult<UnknownRow>[] = []
  const db = database.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      results.push(result)
      return result
    },
  })
  const series = {
    number: 1,
    streamNumber: 1,
    slot: 1,
    tenantNumber: 1,
    ownerType: 'client' as const,
    ownerId: 'pump',
    componentId: '',
    name: 'temperature',
    type: 'telemetry' as const,
  }
  const selection = { series, modelId: null, from: 0, to: Date.parse('2030-01-01T00:00:00Z') }
  const limits = { rows: 10, bytes: 1000 }
  expect(await readSamples(db, selection, { values: 'all', limits })).toMatchObject({
    times: new Float64Array(),
    messageIds: new BigInt64Array(),
    isCut: false,
  })
  expect(results.map(({ rows }) => rows.length)).toEqual([0])
})
