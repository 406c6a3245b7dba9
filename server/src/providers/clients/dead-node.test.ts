/** Presence of the devices of a node that was declared dead. [docs/operating#sessions-and-presence] */
import { afterAll, expect, test } from 'vitest'
import { connectClients, insertClients, insertNode } from '../../../test/harness/other-node.ts'
import { startPlatform } from '../../../test/harness/platform.ts'
import { rounds } from '../../../test/harness/rounds.ts'
import { countDevices } from '../../system/overview/tenant-counts.ts'

// No liveness runs here, which would begin to write the ends of the connections afterwards.
const platform = await startPlatform()
afterAll(() => platform[Symbol.asyncDispose]())

const DEVICES = rounds(100_000, 10_000)
/** A statement with all of them may take longer than one may on a busy machine. */
const PIECE = 2000

const { pool, db } = platform.ctx
/** Changes with every row that is written. */
const readVersions = async () =>
  (
    await pool.query<{ rows: number }>(
      `select count(*)::int as rows, sum(xmin::text::bigint) as transactions, sum(hashtext(ctid::text)) as places
       from client_connections`,
    )
  ).rows[0]!
const list = async (connected: boolean) =>
  (await platform.get(`/v1/providers/mqtt/clients?connected=${connected}&limit=100`)).body as {
    connection: { connected: boolean }
  }[]
const countOnline = async () =>
  (await countDevices(db, 'default', { since: new Date(0) })).map(({ online, total }) => [online, total])

test('all devices of a node, up to 100,000, are offline at once by one write about their node, and none about them', async () => {
  const node = await insertNode(pool)
  for (let made = 0; made < DEVICES; made += PIECE)
    await connectClients(pool, await insertClients(pool, PIECE), node)
  expect(await list(false)).toEqual([])
  expect(await countOnline()).toEqual([[DEVICES, DEVICES]])
  const before = await readVersions()
  expect(before.rows).toBe(DEVICES)

  await pool.query('update server_nodes set died_at = now() where id = $1', [node])
  expect(await list(true)).toEqual([])
  expect((await list(false)).map(({ connection }) => connection.connected)).toEqual(Array(100).fill(false))
  expect(await countOnline()).toEqual([[0, DEVICES]])
  expect(await readVersions()).toEqual(before)
})
