/** Compares what devices, callers, subscribers and mailboxes have seen with what the platform has stored. */
import { expect, onTestFailed } from 'vitest'
import { connect } from '../../../../client/src/connect.ts'
import { type Cluster, clientsPath } from '../../harness/cluster.ts'
import type { MailServer } from '../../harness/mail-server.ts'
import { apiAt } from '../../harness/platform.ts'
import { storedNumbers } from '../../harness/publish-numbers.ts'
import { assetOf, HIGH, isHigh, SILENT } from './fleet.ts'
import type { FleetDevice } from './fleet-device.ts'
import { COMMAND } from './fleet-device.ts'
import type { Work } from './fleet-work.ts'
import type { Subscriber } from './subscribers.ts'

const HISTORY = '/v1/assets/{assetId}/commands/{commandName}/history'

/** Each acknowledged number is there once, and in order. QoS 1 may repeat what a device sent to itself, in its order. */
export async function expectMessages(
  cluster: Cluster,
  { id, acknowledged, published, received }: FleetDevice,
) {
  const api = apiAt(cluster.nodes[0]!.endpoints.http)
  const readStored = () => storedNumbers(api, cluster.token, assetOf(id))
  const findLost = async () => {
    const kept = new Set(await readStored())
    return acknowledged.filter((number) => !kept.has(number))
  }
  // Through the stream numbers are stored after they were acknowledged.
  await expect.poll(findLost, { message: `acknowledged and not stored of ${id}` }).toEqual([])
  const stored = await readStored()
  expect(stored, `numbers of ${id}, by their time`).toEqual([...new Set(stored)].toSorted((a, b) => a - b))
  await expect.poll(() => [...new Set(received)], { message: `own messages of ${id}` }).toEqual(published)
}

/** Each method has its answer, and what a device is said to have done it was asked. */
export function expectMethods({ methods }: Work): void {
  const refusals = ['409 device_offline', '504 device_timeout', '503 unavailable']
  const said = methods.filter(({ status }) => status !== 0)
  for (const { number, device, status, body } of said)
    if (status === 200) expect(device.asked).toContain(number)
    else {
      expect(refusals, `the answer ${JSON.stringify(body)} to a method`).toContain(`${status} ${body.error}`)
      if (body.error === 'device_offline') expect(device.asked).not.toContain(number)
    }
  expect(said.some(({ status }) => status === 200)).toBe(true)
}

/** Each accepted command was done, or it is said that this is not known. */
export async function expectCommands(cluster: Cluster, { commands }: Work): Promise<void> {
  const accepted = commands.filter(({ status }) => status === 202)
  const gangway = connect({ url: cluster.nodes[0]!.endpoints.http, token: cluster.token })
  for (const device of new Set(accepted.map((command) => command.device))) {
    const own = accepted.filter((command) => command.device === device)
    const readEnds = async () => {
      const path = { assetId: assetOf(device.id), commandName: COMMAND }
      const ends = new Map<string, string>()
      for await (const { commandId, status } of gangway.list(HISTORY, { path })) ends.set(commandId, status)
      return own.map(({ number, body }) => ({ number, end: ends.get(body.commandId) }))
    }
    const listOpen = async () =>
      (await readEnds()).filter(({ end }) => end !== 'succeeded' && end !== 'timed_out')
    await expect.poll(listOpen, { message: `commands of ${device.id} without an end` }).toEqual([])
    for (const { number, end } of await readEnds())
      if (end === 'succeeded') expect(device.commanded).toContain(number)
  }
  expect(accepted.some(({ device, number }) => device.commanded.has(number))).toBe(true)
}

/**
 * All are online at one node each. Those that never lost their connection were offline only where their node was found dead, as
 * one that is cut off is.
 */
export async function expectPresence(
  cluster: Cluster,
  devices: FleetDevice[],
  simulated: string[],
): Promise<void> {
  const list = async (query: string): Promise<string[]> =>
    (await cluster.call(0, 'GET', `${clientsPath}?${query}&limit=1000`)).body.map(
      ({ id }: { id: string }) => id,
    )
  await expect.poll(() => list('connected=false')).toEqual([])
  const all = [...devices.map(({ id }) => id), ...simulated]
  expect((await list('connected=true')).toSorted()).toEqual(all.toSorted())
  const nodes = () =>
    cluster.database.pool.query(
      'select client_number, node_ids from client_connections where cardinality(node_ids) <> 1',
    )
  await expect.poll(async () => (await nodes()).rows).toEqual([])
  for (const { id, closes } of devices) {
    const { body } = await cluster.call(0, 'GET', `${clientsPath}/${id}/connections`)
    const [newest, ...older]: ConnectionEvent[] = body
    expect(newest, `the newest connection event of ${id}`).toMatchObject({ event: 'connected' })
    const others = older.filter(({ event, reason }) => event !== 'connected' && reason !== 'server_stopped')
    if (closes === 0) expect(others, `disconnections of ${id}, which stayed`).toEqual([])
  }
}

interface ConnectionEvent {
  event: string
  reason?: string
}

/** The alarm follows the last number, and each activation was for a high number and is in one mail. */
export async function expectAlarms(
  { database: { pool } }: Cluster,
  { id, acknowledged }: FleetDevice,
  mail: MailServer,
): Promise<void> {
  const asset = assetOf(id)
  const list = async (name: string) => {
    const { rows } = await pool.query<{ state: string; value: number }>(
      'select state, value from alarm_statuses where asset_id = $1 and alarm_name = $2 order by activated_at',
      [asset, name],
    )
    return rows
  }
  expect(await list(SILENT.name), `silence of ${id}`).toEqual([])
  const isActive = async () => (await list(HIGH)).at(-1)?.state.startsWith('active') ?? false
  await expect.poll(isActive, { message: `the alarm of ${id}` }).toBe(isHigh(acknowledged.at(-1)!))
  const activations = await list(HIGH)
  expect(
    activations.filter(({ value }) => !isHigh(value)),
    `false alarms of ${id}`,
  ).toEqual([])
  const countSent = async () => {
    // What failed for a moment need not wait for its next try.
    await pool.query('update graphile_worker._private_jobs set run_at = now() where locked_at is null')
    return countMails(mail, asset)
  }
  await expect.poll(countSent, { message: `mails of ${id}` }).toBe(activations.length)
}

/** A mail that is sent twice after a crash has the same Message-ID. [docs/notifications#sending] */
function countMails({ mails }: MailServer, assetId: string): number {
  const about = mails.filter(({ text }) => text.includes(`Subject: ${assetId} is high`))
  return new Set(about.map(({ text }) => /^Message-ID: (\S+)/im.exec(text)![1])).size
}

/** The device has the desired properties that are read now. */
export async function expectDesired(cluster: Cluster, device: FleetDevice): Promise<void> {
  const path = `${clientsPath}/${device.id}/properties/desired`
  const { $version } = (await cluster.call(0, 'GET', path)).body
  await expect
    .poll(() => device.desired?.$version, { message: `desired properties of ${device.id}` })
    .toBe($version)
}

/** Each subscriber knows the last number of each device, and the alarms that are open. */
export async function expectLive(
  { database: { pool } }: Cluster,
  devices: FleetDevice[],
  subscribers: Subscriber[],
): Promise<void> {
  const last = devices.map(({ id, acknowledged }) => [assetOf(id), acknowledged.at(-1)] as const)
  const readOpen = async () => {
    const { rows } = await pool.query(`select id, state from alarm_statuses where state <> 'cleared'`)
    return new Map(rows.map(({ id, state }) => [id, state]))
  }
  const findStale = ({ numbers }: Subscriber) =>
    last.filter(([asset, number]) => numbers.get(asset) !== number).map(([asset]) => asset)
  for (const [node, subscriber] of subscribers.entries()) {
    onTestFailed(() => console.log(`Subscriber of node ${node}:\n${subscriber.story.join('\n')}`))
    await expect.poll(() => findStale(subscriber), { message: `stale at node ${node}` }).toEqual([])
    await expect
      .poll(async () => [subscriber.alarms, await readOpen()], { message: `alarms at node ${node}` })
      .toSatisfy(areEqual)
  }
}

const areEqual = ([seen, open]: Map<string, string>[]): boolean =>
  seen!.size === open!.size && [...open!].every(([id, state]) => seen!.get(id) === state)

/** The release is at all devices, and each is counted once. */
export async function expectRollout(
  cluster: Cluster,
  devices: FleetDevice[],
  deploymentPath: string,
): Promise<void> {
  await expect
    .poll(async () => (await cluster.call(0, 'GET', deploymentPath)).body)
    .toMatchObject({ status: 'Completed', counts: { Succeeded: devices.length, Failed: 0 } })
}

/** Simulated devices go on sending. */
export async function expectSimulation(cluster: Cluster, path: string): Promise<void> {
  const read = async () => (await cluster.call(0, 'GET', path)).body
  await expect.poll(async () => (await read()).state).toBe('running')
  const { acknowledged } = (await read()).progress
  await expect.poll(async () => (await read()).progress.acknowledged).toBeGreaterThan(acknowledged)
}
