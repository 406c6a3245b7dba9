import { afterAll, expect, test } from 'vitest'
import { makeGroup } from '../../../test/harness/enrollment-group.ts'
import { startPlatform } from '../../../test/harness/platform.ts'

const platform = await startPlatform()
afterAll(() => platform[Symbol.asyncDispose]())
const { targetId } = await makeGroup(platform)
const brokers = [1, 2, 3, 4].map((port) => ({ host: `broker-${port}.example.com`, port }))

const preview = (response_template: object, device_id = 'pump-1') =>
  platform.post('/api/enrollment-groups/preview', {
    routing_target_id: targetId,
    response_template,
    device_id,
  })

test('[docs/onboarding#preview] renders a template for a device that does not exist, and shows no key', async () => {
  const { status, body } = await preview({
    url: 'mqtt://{{target.host}}:{{target.port}}',
    port: '{{ target.port }}',
    keys: ['{{device.primary_key}}', 'x {{device.secondary_key}}'],
    user: '{{device.id}}',
  })
  expect(status).toBe(200)
  const { host, port } = body.broker
  expect(body).toEqual({
    settings: {
      url: `mqtt://${host}:${port}`,
      port,
      keys: ['<primary key>', 'x <secondary key>'],
      user: 'pump-1',
    },
    broker: { host: expect.any(String), port: expect.any(Number) },
    issues: [],
  })
})

test('[docs/onboarding#preview] reports the problems of a template instead of rendering it', async () => {
  const { status, body } = await preview({ a: { b: ['{{device.name}}'] }, c: '{{device.id' })
  expect(status).toBe(200)
  expect(body.settings).toBeNull()
  expect(body.issues).toEqual([
    { path: 'response_template.a.b.0', message: expect.stringContaining('{{device.name}}') },
    { path: 'response_template.c', message: 'has {{ without a closing }}' },
  ])
})

test('[docs/onboarding#preview] names the broker that the device gets when devices are spread', async () => {
  await platform.put(`/api/routing-targets/${targetId}`, { brokers, broker_selection: 'spread' })
  const ids = Array.from({ length: 20 }, (_, index) => `pump-${index}`)
  const previews = await Promise.all(ids.map((id) => preview({ host: '{{target.host}}' }, id)))
  for (const { body } of previews) expect(body.settings.host).toBe(body.broker.host)
  expect(new Set(previews.map(({ body }) => body.broker.host)).size).toBeGreaterThan(1)
})

test('[docs/onboarding#preview] refuses an id that no device can have', async () => {
  expect(await preview({}, 'no spaces')).toMatchObject({ status: 400, body: { error: 'validation_error' } })
})
