import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectSession } from '../../../../test/harness/live-session.ts'
import { type Platform, startPlatform } from '../../../../test/harness/platform.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

test("changes of a client of type import end no MQTT session of another tenant's client with that id", async () => {
  await platform.post('/v1/providers/mqtt/clients', { id: 'pump', displayName: 'pump' })
  const session = connectSession(platform.ctx, 'pump', ['devices/pump/twin/desired'])
  const { token, organizationId } = await platform.makeTenant('importer')
  const provider = { id: 'files', type: 'import', displayName: 'Files', organizationId }
  await platform.post('/v1/providers', provider, { token })
  const at = '/v1/providers/files/clients/pump'
  const created = await platform.post(
    '/v1/providers/files/clients',
    { id: 'pump', displayName: 'x' },
    { token },
  )
  expect(created.status).toBe(201)
  await platform.put(`${at}/properties/desired`, { properties: { a: 1 } }, { token })
  await platform.put(at, { displayName: 'x', enabled: false }, { token })
  expect((await platform.delete(at, { token })).status).toBe(204)
  expect([session.ended, session.sent]).toEqual([undefined, []])

  // The same change of the client of the session ends it.
  await platform.put('/v1/providers/mqtt/clients/pump', { displayName: 'x', enabled: false })
  expect(session.ended).toMatchObject({ reason: 'client_disabled' })
})
