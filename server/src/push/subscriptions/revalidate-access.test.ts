import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { insertAsset, makePumpModel } from '../../../test/harness/assets.ts'
import { apiAt, adminPassword, type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { connectRealtime, makeClient, sampleMaker } from '../../../test/harness/realtime.ts'
import { makeOrganization, makeUser, relate, type TestUser } from '../../../test/harness/users.ts'
import { joinNodes } from '../../nodes/nodes.ts'
import { startPush } from '../start.ts'

let platform: Platform
let joined: AsyncDisposable
let sample: Awaited<ReturnType<typeof sampleMaker>>
beforeAll(async () => {
  // The regular review would find, sooner or later, changes that a test expects to be found in another way.
  vi.useFakeTimers({ toFake: ['setInterval'] })
  platform = await startPlatform()
  vi.useRealTimers()
  sample = await sampleMaker(platform)
  // The part of the gateway in a server.
  joined = await joinNodes(platform.ctx.nodes)
  await makePumpModel(platform)
})
afterAll(async () => {
  await joined[Symbol.asyncDispose]()
  await platform[Symbol.asyncDispose]()
})

const url = '/v1/realtime/subscriptions'
let assets = 0

async function watching(user: TestUser, ids: string[]) {
  const client = await connectRealtime(platform, undefined, { token: user.token })
  const body = { connectionId: client.connectionId, topic: 'telemetry', assets: ids }
  const answer = await platform.post(url, body, { token: user.token })
  expect(answer.status).toBe(201)
  const id = answer.body.id as string
  const { subscriptions } = platform.ctx.push
  await expect.poll(() => subscriptions.get(id)?.start?.pending).toBeUndefined()
  return { ...client, id }
}
const ended = (subscriptionId: string, about: string) => ({
  topic: 'subscription',
  subscriptionId,
  event: 'ended',
  reason: `You may no longer view ${about}.`,
})
const makeGauge = (organizationId?: string) => makeClient(platform, `gauge-${++assets}`, organizationId)
const take = (tuple: string) => {
  const [subjectId, relation, resource = ''] = tuple.split(' ')
  const [resourceType, resourceId] = resource.split(':')
  const body = { subjectType: 'user', subjectId, relation, resourceType, resourceId }
  return platform.post('/v1/relations/delete', body)
}

test('a subscription ends as soon as the permission on one of its assets is revoked [docs/push#access]', async () => {
  const [one, other] = [await makeGauge(), await makeGauge()]
  const user = await makeUser(platform)
  for (const id of [one, other]) await relate(platform, `${user.id} viewer provider_client:${id}`)
  const both = await watching(user, [one, other])
  const alone = await watching(user, [other])
  expect((await take(`${user.id} viewer provider_client:${one}`)).status).toBe(204)
  expect((await both.next()).data).toEqual(ended(both.id, one))
  platform.ctx.push.publishSamples([sample(one, 1), sample(other, 2)])
  expect((await alone.next()).data).toMatchObject({ value: 2 })
  expect(both.messages).toEqual([])
  both.socket.close()
  alone.socket.close()
})

test('a subscription ends when the user leaves the organization, and when the organization loses the privilege', async () => {
  const branch = await makeOrganization(platform)
  const gauge = await makeGauge(branch)
  const [member, manager] = [await makeUser(platform), await makeUser(platform)]
  await relate(platform, `${member.id} member organization:${branch}`)
  await relate(platform, `${manager.id} provider_client_manager organization:${branch}`)
  const [first, second] = [await watching(member, [gauge]), await watching(manager, [gauge])]
  await take(`${member.id} member organization:${branch}`)
  expect((await first.next()).data).toEqual(ended(first.id, gauge))
  await platform.patch(`/v1/organizations/${branch}`, { privileges: [] })
  expect((await second.next()).data).toEqual(ended(second.id, gauge))
  first.socket.close()
  second.socket.close()
})

test('a subscription ends when its asset or client is deleted', async () => {
  const gauge = await makeGauge()
  await insertAsset(platform, 'pump')
  const user = await makeUser(platform)
  for (const object of [`provider_client:${gauge}`, 'asset:pump'])
    await relate(platform, `${user.id} viewer ${object}`)
  const [one, other] = [await watching(user, [gauge]), await watching(user, ['pump'])]
  await platform.delete(`/v1/providers/mqtt/clients/${gauge}`)
  expect((await one.next()).data).toEqual(ended(one.id, gauge))
  await platform.ctx.db.deleteFrom('relations').where('resource_id', '=', 'pump').execute()
  await platform.ctx.db.deleteFrom('assets').where('id', '=', 'pump').execute()
  expect((await other.next()).data).toEqual(ended(other.id, 'pump'))
})

test('a connection ends with the sign-in or the API token that opened it, and with its user', async () => {
  const api = apiAt(platform.url)
  const user = await makeUser(platform)
  const signIn = async () =>
    (await api('POST', '/v1/auth/login', { username: user.email, password: adminPassword })).body
  const [stays, leaves] = [await signIn(), await signIn()]
  const [first, second] = [
    await connectRealtime(platform, undefined, { token: stays.accessToken }),
    await connectRealtime(platform, undefined, { token: leaves.accessToken }),
  ]
  await api('POST', '/v1/auth/logout', { refreshToken: leaves.refreshToken })
  expect(await second.closed).toEqual({ code: 1008, reason: 'The sign-in has ended.' })

  const apiToken = (await platform.post('/v1/api-tokens', { displayName: 't' }, { token: stays.accessToken }))
    .body
  const third = await connectRealtime(platform, undefined, { token: apiToken.token })
  await platform.delete(`/v1/api-tokens/${apiToken.id}`, { token: stays.accessToken })
  expect((await third.closed).code).toBe(1008)
  expect(first.socket.readyState).toBe(first.socket.OPEN)
  await platform.patch(`/v1/users/${user.id}`, { disabled: true })
  expect((await first.closed).code).toBe(1008)
})

/** A subscription whose permission was taken away without a notice. */
async function losingUnnoticed() {
  const gauge = await makeGauge()
  const user = await makeUser(platform)
  await relate(platform, `${user.id} viewer provider_client:${gauge}`)
  const client = await watching(user, [gauge])
  await platform.ctx.pool.query('alter table relations disable trigger announce_access')
  await take(`${user.id} viewer provider_client:${gauge}`)
  await platform.ctx.pool.query('alter table relations enable trigger announce_access')
  return { client, gauge }
}

test('a change that was not announced is found by the regular review', async () => {
  const { client, gauge } = await losingUnnoticed()
  // Another push service on the same platform, with more frequent reviews.
  platform.ctx.push.limits.revalidateMs = 50
  await using _push = await startPush(platform.ctx)
  expect((await client.next()).data).toEqual(ended(client.id, gauge))
})

test('a change that was published while the node received no messages is found once it receives them again', async () => {
  const { client, gauge } = await losingUnnoticed()
  const { rows } = await platform.ctx.pool.query<{ ended: boolean }>(
    `select pg_terminate_backend(a.pid) as ended from pg_stat_activity a
     join pg_locks l on l.pid = a.pid and l.locktype = 'advisory' and l.mode = 'ShareLock'
     where datname = current_database()`,
  )
  expect(rows).toEqual([{ ended: true }])
  expect((await client.next()).data).toEqual(ended(client.id, gauge))
})

test('a review does not end permitted subscriptions', async () => {
  const gauge = await makeGauge()
  const user = await makeUser(platform)
  await relate(platform, `${user.id} viewer provider_client:${gauge}`)
  const client = await watching(user, [gauge])
  const lost = await watching(user, [gauge])
  // All are reviewed together; only one has lost its permission.
  platform.ctx.push.subscriptions.get(lost.id)!.owners.push({ ownerType: 'client', ownerId: 'nothing' })
  platform.ctx.push.revalidation.request(`user ${user.id}`)
  expect((await lost.next()).data).toEqual(ended(lost.id, 'nothing'))
  platform.ctx.push.publishSamples([sample(gauge, 1)])
  expect((await client.next()).data).toMatchObject({ subscriptionId: client.id, value: 1 })
  lost.socket.close()
  client.socket.close()
})
