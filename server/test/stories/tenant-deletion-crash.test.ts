/** A server is killed while it deletes a tenant: the next one continues, and nothing of the tenant remains. */
import { expect, test } from 'vitest'
import { testDatabase } from '../harness/database.ts'
import { adminPassword, apiAt, logIn } from '../harness/platform.ts'
import { startServerProcess } from '../harness/server-process.ts'
import { readRows } from '../harness/twin-tenant.ts'

const GROUPS = 5_000

test('kill -9 half way through the deletion of a tenant: it is resumed and ends', async () => {
  await using database = await testDatabase()
  const { pool, db } = database
  await using server = await startServerProcess({ DATABASE_URL: database.url })
  const api = apiAt(server.endpoints.http)
  const token = await logIn(api, 'admin@example.com', adminPassword)
  const call = (method: string, path: string, body?: unknown) => api(method, path, body, { token })
  await call('POST', '/v1/tenants', {
    id: 'doomed',
    displayName: 'Doomed',
    administrator: { displayName: 'A', email: 'a@doomed.example', password: 'correct horse battery' },
  })
  const { number } = await db
    .selectFrom('tenants')
    .select('number')
    .where('id', '=', 'doomed')
    .executeTakeFirstOrThrow()
  await pool.query(
    `insert into groups (id, tenant_id, display_name)
     select gen_random_uuid(), 'doomed', n::text from generate_series(1, $1) n`,
    [GROUPS],
  )
  const countGroups = async () =>
    (await pool.query(`select count(*)::int as count from groups where tenant_id = 'doomed'`)).rows[0].count

  // A lock on one of the last rows stops the job after the batches before it.
  const blocker = await pool.connect()
  await blocker.query('begin')
  await blocker.query(
    `select 1 from groups where ctid = (select max(ctid) from groups where tenant_id = 'doomed') for update`,
  )
  expect((await call('DELETE', '/v1/tenants/doomed?force=true')).status).toBe(202)
  await expect.poll(countGroups).toBeLessThan(GROUPS)
  await server.kill('SIGKILL')
  await blocker.query('rollback')
  blocker.release()
  const left = await countGroups()
  expect(left).toBeGreaterThan(0)
  expect(left).toBeLessThan(GROUPS)

  await server.start()
  const clearedAt = async () =>
    (
      await db
        .selectFrom('tenants')
        .select('deletion_cleared_at')
        .where('id', '=', 'doomed')
        .executeTakeFirst()
    )?.deletion_cleared_at
  await expect.poll(clearedAt).toBeInstanceOf(Date)
  expect(await countGroups()).toBe(0)
  // The last part waits a minute for writes in progress.
  await pool.query(
    `update graphile_worker._private_jobs set run_at = now() where payload ->> 'id' = 'doomed' and locked_at is null`,
  )
  await expect.poll(async () => (await call('GET', '/v1/tenants/doomed')).status).toBe(404)
  expect(await readRows(db, { id: 'doomed', number })).toEqual({})
})
