/** Measures how long the kept sessions of a node that was killed take until they are at another one. */
import type { Bench } from '../../bench-case.ts'
import { compare, type Finding } from '../../measure/finding.ts'
import { affordableConnections } from '../../platform/affordable-connections.ts'
import { insertDevices } from '../../platform/devices.ts'
import { ALL_ROLES, connectFleet, startWorld, type World } from './world.ts'

const ROUNDS = 3
const GOAL_SECONDS = 15

export async function measureTakeover(bench: Bench): Promise<Finding[]> {
  const count = affordableConnections(bench, bench.sizes.devices)
  const world = await bench.use(startWorld(bench, { ingest: 'database', roles: [ALL_ROLES, ALL_ROLES] }))
  const devices = await insertDevices(world.installation, count)
  let [holder, next] = world.nodes as [World['nodes'][number], World['nodes'][number]]
  const fleet = await connectFleet(bench, holder.server, devices, { isKept: true })
  const connect = async () => {
    const { seconds, failedAttempts } = await fleet.call('connect', next.server.mqttPort, devices, {
      isKept: true,
    })
    for (const [reason, attempts] of Object.entries(failedAttempts))
      bench.progress(`${attempts} attempts failed and were made again: ${reason}`)
    return seconds
  }
  const afterDeath: number[] = []
  const afterMove: number[] = []
  let sessions = await readSessions(world, count)
  /** @throws if other sessions, or not all of them, are at the node now */
  const checkMoved = async () => {
    const now = await readSessions(world, count)
    if (now.nodeId === sessions.nodeId || now.numbers !== sessions.numbers)
      throw new Error('the sessions are not those of the node before')
    sessions = now
    ;[holder, next] = [next, holder]
  }
  for (let round = 1; round <= ROUNDS; round++) {
    // The same move without a death.
    await fleet.call('drop')
    afterMove.push(await connect())
    await checkMoved()

    const startedMs = performance.now()
    holder.server.process.kill('SIGKILL')
    await fleet.call('drop')
    await connect()
    afterDeath.push((performance.now() - startedMs) / 1000)
    await checkMoved()
    next = await world.startNode(ALL_ROLES)
    bench.progress(
      `round ${round} of ${ROUNDS}: ${count} sessions moved in ${afterMove.at(-1)!.toFixed(1)} s, and after a death in ${afterDeath.at(-1)!.toFixed(1)} s`,
    )
  }
  return [
    compare({
      measure: `${count.toLocaleString('en')} sessions of a dead node at another one`,
      unit: 's',
      better: 'less',
      rounds: afterDeath,
      baseline: { name: 'the same while both live', rounds: afterMove },
      goal: { valueAtMost: GOAL_SECONDS },
    }),
  ]
}

/** @throws if not all sessions are at one node */
async function readSessions({ installation }: World, count: number) {
  const { rows } = await installation.pool.query<{ nodeId: string; count: number; numbers: string }>(
    `select node_id as "nodeId", count(*)::int as count, sum(number)::text as numbers
     from mqtt_sessions group by node_id`,
  )
  if (rows.length !== 1 || !rows[0]!.nodeId || rows[0]!.count !== count)
    throw new Error(`the sessions are not at one node: ${JSON.stringify(rows)}`)
  return rows[0]!
}
