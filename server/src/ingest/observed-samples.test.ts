/** Subscribers who come while a commit is on its way, and have read the last values before it. */
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findDevice, makeMessage } from '../../test/harness/device-message.ts'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { connectRealtime, makeClient } from '../../test/harness/realtime.ts'
import { createBatchCommit } from './commit-batch.ts'
import { storeReported } from './store-reported.ts'
import { storeTelemetry } from './store-telemetry.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

test.each([
  { kind: 'telemetry', store: storeTelemetry },
  { kind: 'reported', store: storeReported },
])(
  '$kind: whoever is the first to watch a tenant while a value is committed gets it',
  async ({ kind, store }) => {
    await makeClient(platform, kind)
    const { ctx } = platform
    const device = await findDevice(platform, kind)
    const commit = (value: number) =>
      createBatchCommit(ctx, store)([makeMessage(device, { level: value })], Promise.resolve())
    await commit(1)
    const client = await connectRealtime(platform)
    const blocker = await ctx.pool.connect()
    try {
      await blocker.query('begin')
      // Rows are read, and wait to be written.
      await blocker.query('lock table sample_rows in share mode')
      const committed = commit(2)
      await expect.poll(() => countWaiting(ctx.pool)).toBe(1)
      const body = { connectionId: client.connectionId, topic: 'telemetry', assets: [kind] }
      const { id } = (await platform.post('/v1/realtime/subscriptions', body)).body
      expect((await client.take(1))[0]).toMatchObject({ value: 1 })
      await expect.poll(() => ctx.push.subscriptions.get(id)?.start?.pending).toBeUndefined()
      await blocker.query('commit')
      await committed
      expect((await client.take(1))[0]).toMatchObject({ value: 2 })
      await platform.delete(`/v1/realtime/subscriptions/${id}`)
    } finally {
      blocker.release(true)
      client.socket.close()
    }
  },
)

async function countWaiting(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int from pg_locks where not granted and relation = 'sample_rows'::regclass`,
  )
  return rows[0]!.count
}
