import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../../../test/harness/platform.ts'
import { makeHubProvider, type StandInHub, startStandInHub } from '../../../../test/harness/stand-in-hub.ts'

let platform: Platform
let hub: StandInHub
beforeAll(async () => {
  hub = await startStandInHub()
  platform = await startPlatform()
  await makeHubProvider(platform, hub)
})
afterAll(async () => {
  await platform[Symbol.asyncDispose]()
  await hub[Symbol.asyncDispose]()
})

let made = 0
async function makeClient() {
  const id = `device-${++made}`
  await platform.post('/v1/providers/hub/clients', { id, displayName: id })
  const at = `/v1/providers/hub/clients/${id}`
  const provision = (body: object) => platform.post(`${at}/provision`, body)
  return { id, at, provision, device: () => hub.registered.get(id)! }
}

const makeTemplate = async (options: object) => {
  const template = { displayName: 'T', options, organizationId: platform.organizationId }
  return (await platform.post('/v1/provider-templates', template)).body.id as string
}

test('a plain device gets its desired properties, and a repetition changes nothing [docs/providers#iot-hub]', async () => {
  const { provision, device } = await makeClient()
  const templateId = await makeTemplate({ iotDeviceTemplateOptions: { desiredProperties: { interval: 60 } } })
  for (let times = 0; times < 2; times++) {
    const { status, body } = await provision({ templateId, options: { hub: hub.hostName } })
    expect([status, body.templateId]).toEqual([200, templateId])
    expect(device().twin.desired).toEqual({ interval: 60 })
    expect(device().identity).toMatchObject({ status: 'enabled', capabilities: { iotEdge: false } })
  }
})

test('an edge device gets its capability, its modules and the desired properties of all of them', async () => {
  const { id, provision, device } = await makeClient()
  const templateId = await makeTemplate({
    isEdge: true,
    iotDeviceTemplateOptions: { desiredProperties: { plain: 1 } },
    edgeDeviceTemplateOptions: {
      manifest: { modulesContent: { $edgeAgent: {}, $edgeHub: {} } },
      deviceDesiredProperties: { site: 'north' },
      modulesDesiredProperties: { valve: { open: true }, $edgeHub: { ttl: 5 } },
    },
  })
  expect((await provision({ templateId, options: {} })).status).toBe(200)
  expect(device().identity.capabilities).toEqual({ iotEdge: true })
  expect(device().twin.desired).toEqual({ site: 'north' })
  expect(hub.registered.get(`${id}/valve`)).toMatchObject({
    identity: { deviceId: id, moduleId: 'valve', authentication: { type: 'sas' } },
    twin: { desired: { open: true } },
  })
  expect(hub.registered.get(`${id}/$edgeHub`)!.twin.desired).toEqual({ ttl: 5 })
  expect((await provision({ templateId, options: {} })).status).toBe(200)
})

test('the identity of a device that is provisioned already does not change [docs/providers#iot-hub]', async () => {
  const { provision, device } = await makeClient()
  const before = device().identity
  expect((await provision({ options: {} })).status).toBe(200)
  expect(device().identity).toEqual(before)
})

test('a device that the hub lost is created again, and its new keys are stored', async () => {
  const { id, at, provision, device } = await makeClient()
  const before = (await platform.get(`${at}/credentials`)).body
  await platform.put(at, { displayName: id, enabled: false })
  hub.registered.delete(id)
  expect((await provision({ options: {} })).status).toBe(200)
  expect(device().identity.status).toBe('disabled')
  const after = (await platform.get(`${at}/credentials`)).body
  expect(after).not.toEqual(before)
  expect(device().identity.authentication).toEqual({ type: 'sas', symmetricKey: after })
})

test.each([
  ['another hub', { hub: 'elsewhere' }, 'options.hub'],
  ['isEdge as text', { isEdge: 'true' }, 'options.isEdge'],
  [
    'desired properties that are no object',
    { iotDeviceTemplateOptions: { desiredProperties: 1 } },
    'options.iot',
  ],
  ['a reserved name', { iotDeviceTemplateOptions: { desiredProperties: { $a: 1 } } }, '$a'],
  [
    'a manifest without modules',
    { isEdge: true, edgeDeviceTemplateOptions: { manifest: {} } },
    'options.edge',
  ],
  [
    'a module whose properties are not an object',
    { isEdge: true, edgeDeviceTemplateOptions: { modulesDesiredProperties: { m: [] } } },
    'options.edge',
  ],
])('%s is refused before anything is done', async (_what, options, path) => {
  const { id, at, provision } = await makeClient()
  hub.calls.splice(0)
  const { status, body } = await provision({ options })
  expect(status).toBe(400)
  expect(body.details.issues[0].path).toContain(path)
  expect(hub.calls).toEqual([])
  const { remote, ...kept } = (await platform.get(at)).body.providerData
  expect([kept, remote.deviceId]).toEqual([{}, id])
})
