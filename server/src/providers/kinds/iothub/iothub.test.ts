import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../../../test/harness/platform.ts'
import {
  hang,
  makeHubProvider,
  refusing,
  register,
  type StandInHub,
  startStandInHub,
  throttled,
} from '../../../../test/harness/stand-in-hub.ts'

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
beforeEach(() => void hub.calls.splice(0))

let made = 0
async function makeClient(fields: object = {}) {
  const id = `pump-${++made}`
  const created = await platform.post('/v1/providers/hub/clients', { id, displayName: id, ...fields })
  expect(created.status).toBe(201)
  return { id, at: `/v1/providers/hub/clients/${id}`, device: () => hub.registered.get(id)! }
}

const paths = () => hub.calls.map(({ method, path }) => `${method} ${path}`)

test('a client is an enabled device with shared access keys that is not an edge device; its keys are stored here too [docs/providers#iot-hub]', async () => {
  const { id, at, device } = await makeClient()
  expect(device().identity).toMatchObject({
    deviceId: id,
    status: 'enabled',
    authentication: { type: 'sas' },
    capabilities: { iotEdge: false },
  })
  const { symmetricKey } = device().identity.authentication as { symmetricKey: object }
  expect((await platform.get(`${at}/credentials`)).body).toEqual(symmetricKey)
})

test('an existing device of the hub keeps its keys', async () => {
  const symmetricKey = { primaryKey: 'first', secondaryKey: 'second' }
  const authentication = { type: 'sas', symmetricKey }
  register(hub, 'adopted', { deviceId: 'adopted', status: 'enabled', authentication, tags: 1 })
  const client = { id: 'adopted', displayName: 'adopted', enabled: false }
  expect((await platform.post('/v1/providers/hub/clients', client)).status).toBe(201)
  expect((await platform.get('/v1/providers/hub/clients/adopted/credentials')).body).toEqual(symmetricKey)
  expect(hub.registered.get('adopted')!.identity).toMatchObject({
    status: 'disabled',
    authentication,
    tags: 1,
  })
})

test('creating an existing client changes nothing in the hub', async () => {
  const { id, device } = await makeClient({ enabled: false })
  hub.calls.splice(0)
  const again = await platform.post('/v1/providers/hub/clients', { id, displayName: id })
  expect(again).toMatchObject({ status: 409, body: { error: 'conflict' } })
  expect([hub.calls, device().identity.status]).toEqual([[], 'disabled'])
})

test("GET shows the hub's description of the device or a module, or why the hub did not answer", async () => {
  const { id, at } = await makeClient()
  register(hub, `${id}/valve`, { deviceId: id, moduleId: 'valve' })
  const readRemote = async (path: string) => {
    const { status, body } = await platform.get(path)
    expect(status).toBe(200)
    return body.providerData.remote
  }
  const known = { deviceId: id, status: 'enabled', connectionState: 'Disconnected' }
  expect(await readRemote(at)).toEqual(known)
  expect(await readRemote(`${at}?componentId=valve`)).toEqual({ ...known, moduleId: 'valve' })
  expect(await readRemote(`${at}?componentId=none`)).toMatchObject({ error: 'conflict' })
  hub.next.push(refusing(503, {}))
  expect(await readRemote(at)).toMatchObject({ error: 'provider_unavailable' })
})

test('an id of another provider is refused without a request to the hub', async () => {
  await platform.post('/v1/providers/mqtt/clients', { id: 'taken', displayName: 'taken' })
  const refused = await platform.post('/v1/providers/hub/clients', { id: 'taken', displayName: 'x' })
  expect(refused).toMatchObject({ status: 422, body: { error: 'provider_rejected' } })
  expect(hub.calls).toEqual([])
})

test('disabling and deleting a client changes the hub; a device that the hub does not have can be deleted', async () => {
  const { id, at, device } = await makeClient()
  await platform.put(at, { displayName: id, enabled: false })
  expect(device().identity.status).toBe('disabled')
  await platform.put(at, { displayName: id, enabled: true })
  expect(device().identity.status).toBe('enabled')
  expect((await platform.delete(at)).status).toBe(204)
  expect(hub.registered.has(id)).toBe(false)

  const lost = await makeClient()
  hub.registered.delete(lost.id)
  expect((await platform.put(lost.at, { displayName: 'x' })).body.error).toBe('conflict')
  expect((await platform.delete(lost.at)).status).toBe(204)
})

test('a rotation makes the secondary key primary, in the hub and in the database [docs/providers#iot-hub]', async () => {
  const { at, device } = await makeClient()
  const before = (await platform.get(`${at}/credentials`)).body
  const { status, body } = await platform.post(`${at}/credentials/rotate`)
  expect(status).toBe(200)
  expect(body.primaryKey).toBe(before.secondaryKey)
  expect(Object.values(before)).not.toContain(body.secondaryKey)
  expect(device().identity.authentication).toEqual({ type: 'sas', symmetricKey: body })
  expect((await platform.get(`${at}/credentials`)).body).toEqual(body)
})

test('an identity is read again after a concurrent change', async () => {
  const { id, at, device } = await makeClient()
  const change = platform.put(at, { displayName: id, enabled: false })
  hub.next.push(
    refusing(200, { ...device().identity, etag: 'stale' }),
    // The hub refuses the write with the stale etag.
  )
  expect((await change).status).toBe(200)
  expect(hub.calls.at(-1)!.ifMatch).toMatch(/^".+"$/)
  expect(device().identity.status).toBe('disabled')
})

test('desired and reported properties are those of the twin in the hub, with its version', async () => {
  const { at, device } = await makeClient()
  device().twin.reported = { firmware: '1.2' }
  const set = await platform.put(`${at}/properties/desired`, { properties: { interval: 5, old: 1 } })
  expect(set).toMatchObject({ status: 200, body: { interval: 5, old: 1, $version: 2 } })
  const etags = hub.calls.filter(({ method }) => method === 'PATCH').map(({ ifMatch }) => ifMatch)
  expect(etags).toEqual([expect.stringMatching(/^".+"$/)])
  await platform.put(`${at}/properties/desired`, { properties: { old: null } })
  expect((await platform.get(`${at}/properties/desired`)).body).toEqual({ interval: 5, $version: 3 })
  expect((await platform.get(`${at}/properties/reported`)).body).toEqual({ firmware: '1.2', $version: 1 })
  expect((await platform.put(`${at}/properties/desired`, { properties: { $x: 1 } })).status).toBe(400)
})

test('a patch is retried with the new etag after a concurrent change, with a limited number of tries', async () => {
  const { at, device } = await makeClient()
  const stale = { etag: 'stale', properties: { desired: {}, reported: {} } }
  hub.next.push(refusing(200, stale))
  expect((await platform.put(`${at}/properties/desired`, { properties: { a: 1 } })).status).toBe(200)
  expect(paths().filter((path) => path.startsWith('PATCH'))).toHaveLength(2)
  expect(device().twin.desired).toEqual({ a: 1 })
  for (let tries = 0; tries < 3; tries++) hub.next.push(refusing(200, stale), refusing(412, {}))
  expect((await platform.put(`${at}/properties/desired`, { properties: { a: 2 } })).body.error).toBe(
    'conflict',
  )
})

test('a method is answered by the device; a component is a module', async () => {
  const { id, at } = await makeClient()
  hub.online.set(id, (method, payload) => ({ status: 200, payload: { method, payload } }))
  hub.online.set(`${id}/valve`, () => ({ status: 501, payload: null }))
  register(hub, `${id}/valve`, {})
  const call = { method: 'reboot', payload: { in: 5 }, timeoutSeconds: 7 }
  expect((await platform.post(`${at}/methods`, call)).body).toEqual({
    status: 200,
    payload: { method: 'reboot', payload: { in: 5 } },
  })
  expect(hub.calls.at(-1)!.body).toMatchObject({ responseTimeoutInSeconds: 7, connectTimeoutInSeconds: 0 })
  const ofModule = await platform.post(`${at}/methods`, { ...call, componentId: 'valve' })
  expect(ofModule.body).toEqual({ status: 501, payload: null })
  expect(paths().at(-1)).toBe(`POST /twins/${id}/modules/valve/methods`)
})

test('an offline, a silent and an unknown device have different errors', async () => {
  const { id, at } = await makeClient()
  const invoke = () => platform.post(`${at}/methods`, { method: 'reboot' })
  expect(await invoke()).toMatchObject({ status: 409, body: { error: 'device_offline' } })
  hub.online.set(id, () => undefined)
  expect(await invoke()).toMatchObject({ status: 504, body: { error: 'device_timeout' } })
  hub.registered.delete(id)
  expect(await invoke()).toMatchObject({ status: 409, body: { error: 'conflict' } })
})

test('a throttled request is retried after Retry-After, unless that is too long', async () => {
  const { at } = await makeClient()
  hub.calls.splice(0)
  hub.next.push(throttled('1'))
  expect((await platform.get(`${at}/properties/desired`)).status).toBe(200)
  expect(hub.calls[1]!.atMs - hub.calls[0]!.atMs).toBeGreaterThanOrEqual(990)
  hub.next.push(throttled('600'))
  const refused = await platform.get(`${at}/properties/desired`)
  expect(refused).toMatchObject({ status: 502, body: { error: 'provider_unavailable' } })
  expect(refused.headers.get('retry-after')).toBe('600')
  hub.calls.splice(0)
  for (let tries = 0; tries < 4; tries++) hub.next.push(throttled('0'))
  expect((await platform.get(`${at}/properties/desired`)).status).toBe(502)
  expect(hub.calls).toHaveLength(4)
})

test('an invalid answer of the hub is provider_unavailable, with a message that says what to do', async () => {
  const { at } = await makeClient()
  const answers: [number, object | string, string, RegExp][] = [
    [
      400,
      { Message: 'ErrorCode:ArgumentInvalid;Bad \u0000 twin' },
      'provider_rejected',
      /ArgumentInvalid;Bad twin$/,
    ],
    [401, { Message: 'Unauthorized' }, 'provider_unavailable', /connection string/],
    [403, {}, 'provider_unavailable', /policy/],
    [500, {}, 'provider_unavailable', /500/],
    [302, {}, 'provider_unavailable', /302/],
  ]
  for (const [status, body, code, message] of answers) {
    hub.next.push(refusing(status, body as object))
    const answer = await platform.get(`${at}/properties/desired`)
    expect([answer.body.error, answer.body.message]).toEqual([code, expect.stringMatching(message)])
  }
  hub.next.push((response) => void response.destroy())
  expect((await platform.get(`${at}/properties/desired`)).body.error).toBe('provider_unavailable')
  hub.next.push((response) => void response.writeHead(200).end('<html>'))
  expect((await platform.get(`${at}/properties/desired`)).body.message).toContain('like an IoT Hub')
})

test('a request to a hub that hangs times out and changes nothing in the database', async () => {
  const { id, at } = await makeClient()
  hub.next.push(hang)
  const answer = await platform.put(at, { displayName: 'changed', enabled: false })
  expect(answer).toMatchObject({ status: 502, body: { error: 'provider_unavailable' } })
  expect((await platform.get(at)).body).toMatchObject({ displayName: id, enabled: true })
})

test('a component with the name . or .. is refused', async () => {
  const { at } = await makeClient()
  hub.calls.splice(0)
  for (const componentId of ['.', '..'])
    expect((await platform.get(`${at}/properties/desired?componentId=${componentId}`)).status).toBe(400)
  expect(hub.calls).toEqual([])
  const escaped = await platform.get(`${at}/properties/desired?componentId=${encodeURIComponent('../../x?')}`)
  expect(escaped.body.error).toBe('conflict')
  expect(paths()[0]).toMatch(/\/modules\/\.\.%2F\.\.%2Fx%3F$/)
})
