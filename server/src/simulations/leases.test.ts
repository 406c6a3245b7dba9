import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { untilBlocked } from '../../test/harness/until-blocked.ts'
import { claimLeases } from './leases.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())
beforeEach(() => platform.ctx.pool.query('delete from simulations').then(() => {}))

/** A running simulation without a lease. */
async function makeSimulation(): Promise<string> {
  const { body } = await platform.post('/v1/simulations', {
    displayName: 'Tanks',
    organizationId: platform.organizationId,
    providerId: 'mqtt',
    count: 2,
    signals: [{ name: 'level', generator: 'constant', value: 7 }],
    intervalSeconds: 1,
  })
  await platform.ctx.pool.query(`update simulations set state = 'running' where id = $1`, [body.id])
  return body.id as string
}

const makeNode = () => ({ db: platform.ctx.db, nodes: { id: randomUUID() } })

async function holders(): Promise<(string | null)[]> {
  const { rows } = await platform.ctx.pool.query('select lease_node from simulations order by id')
  return rows.map(({ lease_node }) => lease_node as string | null)
}

test('a node leases only simulations that it has room for', async () => {
  for (let count = 0; count < 3; count++) await makeSimulation()
  const node = makeNode()
  await claimLeases(node, 4)
  expect(await holders()).toEqual([node.nodes.id, node.nodes.id, null])
})

test('the first of two nodes gets the lease of a free simulation', async () => {
  const id = await makeSimulation()
  const [first, second] = [makeNode(), makeNode()]
  const claims = await platform.ctx.db.transaction().execute(async (tx) => {
    await sql`select from simulations where id = ${id} for update`.execute(tx)
    const claimed = [claimLeases(first, 10)]
    await untilBlocked(platform.ctx.pool, 1)
    claimed.push(claimLeases(second, 10))
    await untilBlocked(platform.ctx.pool, 2)
    return { claimed }
  })
  await Promise.all(claims.claimed)
  expect(await holders()).toEqual([first.nodes.id])
})

test('a simulation that is stopped while a node requests its lease is not leased', async () => {
  const id = await makeSimulation()
  const claims = await platform.ctx.db.transaction().execute(async (tx) => {
    await sql`update simulations set state = 'stopped' where id = ${id}`.execute(tx)
    const claimed = claimLeases(makeNode(), 10)
    await untilBlocked(platform.ctx.pool, 1)
    return { claimed }
  })
  await claims.claimed
  expect(await holders()).toEqual([null])
})
