import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { connectSession, type RecordedSession } from '../../../test/harness/live-session.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

const clients = '/v1/providers/mqtt/clients'
const newClient = (id: string) => platform.post(clients, { id, displayName: id })
const invoke = (id: string, body: object) => platform.post(`${clients}/${id}/methods`, body)
const makeTopic = (id: string, method: string) => `devices/${id}/methods/${method}/invoke`

/** Resolves with the request that the device receives. */
const asked = ({ sent }: RecordedSession) =>
  vi.waitFor(() => {
    if (!sent[0]) throw new Error('nothing was sent')
    return sent[0].payload as { correlationId: string; payload: unknown; timeoutSeconds: number }
  })

test('a method is sent to the device, and its response is returned [docs/twins#methods]', async () => {
  await newClient('answers')
  const session = connectSession(platform.ctx, 'answers', [makeTopic('answers', 'reboot')])
  const call = invoke('answers', {
    componentId: null,
    method: 'reboot',
    payload: { delay: 5 },
    timeoutSeconds: 60,
  })
  const question = await asked(session)
  expect(question).toEqual({ correlationId: expect.any(String), payload: { delay: 5 }, timeoutSeconds: 60 })
  const settle = (deviceId: string) =>
    platform.ctx.pendingMethods.settle(deviceId, question.correlationId, {
      status: 202,
      payload: { ok: true },
    })
  // A device can answer only its own methods.
  expect(settle('other')).toBe(false)
  expect(settle('answers')).toBe(true)
  expect(await call).toMatchObject({ status: 200, body: { status: 202, payload: { ok: true } } })
  expect(settle('answers')).toBe(false)
})

test('the payload defaults to null and the timeout to 30 seconds [docs/twins#methods]', async () => {
  await newClient('defaults')
  const session = connectSession(platform.ctx, 'defaults', [makeTopic('defaults', 'm')])
  const call = invoke('defaults', { method: 'm' })
  const { correlationId, ...question } = await asked(session)
  expect(question).toEqual({ payload: null, timeoutSeconds: 30 })
  platform.ctx.pendingMethods.settle('defaults', correlationId, { status: 200, payload: null })
  expect((await call).body).toEqual({ status: 200, payload: null })
})

test('a device with several sessions receives the method once', async () => {
  await newClient('several')
  const topics = [makeTopic('several', 'm')]
  const sessions = [
    connectSession(platform.ctx, 'several'),
    connectSession(platform.ctx, 'several', topics),
    connectSession(platform.ctx, 'several', topics),
  ]
  const call = invoke('several', { method: 'm' })
  const { correlationId } = await asked(sessions[1]!)
  platform.ctx.pendingMethods.settle('several', correlationId, { status: 200, payload: null })
  await call
  expect(sessions.map(({ sent }) => sent.length)).toEqual([0, 1, 0])
})

test('the method of a component is component.method, also by a template and in errors', async () => {
  await newClient('components')
  const { body: template } = await platform.post('/v1/method-templates', {
    displayName: 'Brake',
    method: 'brake',
    componentId: 'motor',
    organizationId: platform.organizationId,
  })
  const offline = await invoke('components', { method: 'brake', componentId: 'motor' })
  expect(offline.body).toMatchObject({ error: 'device_offline', details: { method: 'motor.brake' } })
  const session = connectSession(platform.ctx, 'components', [makeTopic('components', 'motor.brake')])
  const call = invoke('components', { methodTemplateId: template.id })
  const { correlationId } = await asked(session)
  platform.ctx.pendingMethods.settle('components', correlationId, { status: 200, payload: null })
  expect((await call).status).toBe(200)
})

test('device_offline says whether the device is not connected or has not subscribed [docs/twins#methods]', async () => {
  await newClient('away')
  const away = await invoke('away', { method: 'm' })
  expect(away).toMatchObject({
    status: 409,
    body: { error: 'device_offline', message: expect.stringContaining('not connected') },
  })
  connectSession(platform.ctx, 'away', [makeTopic('away', 'other')])
  const deaf = await invoke('away', { method: 'm' })
  expect(deaf.body).toMatchObject({
    error: 'device_offline',
    message: expect.stringContaining('not subscribed'),
  })
})

test('a device that does not answer is device_timeout, and its late answer is discarded [docs/twins#methods]', async () => {
  await newClient('silent')
  const session = connectSession(platform.ctx, 'silent', [makeTopic('silent', 'm')])
  const { status, body } = await invoke('silent', { method: 'm', timeoutSeconds: 5 })
  expect([status, body.error]).toEqual([504, 'device_timeout'])
  const { correlationId } = await asked(session)
  expect(body.details).toEqual({ clientId: 'silent', method: 'm', correlationId, timeoutSeconds: 5 })
  expect(platform.ctx.pendingMethods.settle('silent', correlationId, { status: 200, payload: null })).toBe(
    false,
  )
})

test.each([
  ['no method', {}],
  ['a method with a slash', { method: 'a/b' }],
  ['a method with a wildcard', { method: '#' }],
  ['a method of 129 characters', { method: 'a'.repeat(129) }],
  ['a payload that is not an object', { method: 'm', payload: 1 }],
  ['4 seconds', { method: 'm', timeoutSeconds: 4 }],
  ['301 seconds', { method: 'm', timeoutSeconds: 301 }],
  ['a time-out as text', { method: 'm', timeoutSeconds: '30' }],
  ['a component with a slash', { method: 'm', componentId: 'a/b' }],
  ['a component and a method of 129 characters', { method: 'm'.repeat(64), componentId: 'c'.repeat(64) }],
])('refuses %s', async (_what, body) => {
  await newClient('strict')
  expect(await invoke('strict', body)).toMatchObject({ status: 400, body: { error: 'validation_error' } })
})

test('a client that does not exist is not found', async () => {
  expect((await invoke('absent', { method: 'm' })).status).toBe(404)
})
