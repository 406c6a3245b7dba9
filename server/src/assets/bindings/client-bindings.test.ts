import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAsset, makePumpModel } from '../../../test/harness/assets.ts'
import { bind, binding, makeClient } from '../../../test/harness/bindings.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { makeUser, relate } from '../../../test/harness/users.ts'

const url = '/v1/providers/mqtt/clients/meter/bindings'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
  await makeClient(platform, 'meter')
  await makeClient(platform, 'other')
  for (const asset of ['first', 'second']) {
    await insertAsset(platform, asset)
    await bind(platform, asset, {
      endpointBindings: [
        binding(`${asset}/-/telemetry/temperature`, 'meter/-/telemetry/t', {
          transform: { '+': [{ var: 'x' }, 1] },
        }),
        binding(`${asset}/-/command/start`, 'meter/-/command/start'),
        binding(`${asset}/-/telemetry/pressure`, 'other/-/telemetry/p'),
      ],
    })
  }
})
afterAll(() => platform[Symbol.asyncDispose]())

const listed = ({ body }: { body: { localEndpointId: string }[] }) =>
  body.map(({ localEndpointId }) => localEndpointId)

const all = ['first', 'second'].flatMap((asset) => [
  `${asset}/-/command/start`,
  `${asset}/-/telemetry/temperature`,
])

test('the bindings of a client are those that name it, with their assets [docs/assets#bindings-of-a-client]', async () => {
  const answer = await platform.get(url)
  expect(listed(answer)).toEqual(all)
  expect(answer.body[1]).toEqual({
    assetId: 'first',
    assetName: 'Asset first',
    localEndpointId: 'first/-/telemetry/temperature',
    remoteEndpointIds: [{ name: 'x', endpointId: 'meter/-/telemetry/t' }],
    bindingType: 'default',
    transform: { '+': [{ var: 'x' }, 1] },
    inverseTransform: null,
    origin: 'explicit',
  })
})

test('they come in pages', async () => {
  const first = await platform.get(`${url}?limit=3`)
  const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link')!)![1]!
  expect([...listed(first), ...listed(await platform.get(next))]).toEqual(all)
  expect((await platform.get(`${url}?cursor=bm9wZQ`)).status).toBe(400)
})

test('bindings of assets that the caller may not view are left out', async () => {
  const { id, token } = await makeUser(platform)
  expect((await platform.get(url, { token })).status).toBe(403)
  await relate(platform, `${id} viewer provider_client:meter`)
  expect(listed(await platform.get(url, { token }))).toEqual([])
  await relate(platform, `${id} viewer asset:second`)
  expect(listed(await platform.get(url, { token }))).toEqual(all.slice(2))
})
