import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runAllJobs, startTestJobs } from '../../../test/harness/due-jobs.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { newId } from '../../lib/ids.ts'
import { providerTasks } from '../tasks.ts'
import { deliverProviderEvent } from './deliver.ts'

let platform: Platform
let other: { token: string }
beforeAll(async () => {
  platform = await startPlatform()
  other = await platform.makeTenant('other')
})
afterAll(() => platform[Symbol.asyncDispose]())

const webhooks = '/v1/providers/mqtt/webhooks'
const clients = '/v1/providers/mqtt/clients'

/** A real receiver that answers these statuses in order, then 200. */
async function startReceiver(...statuses: number[]) {
  const received: { headers: Record<string, unknown>; body: string }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    received.push({ headers: request.headers, body })
    response.writeHead(statuses.shift() ?? 200).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    /** The answers to come. */
    statuses,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/webhooks/provider-events`,
    received,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const runJobs = () => runAllJobs(platform.ctx, providerTasks(platform.ctx))

async function deleteNewClient(id: string) {
  await platform.post(clients, { id, displayName: id })
  await platform.delete(`${clients}/${id}`)
}

test('subscribes, lists and unsubscribes, and never shows the secret', async () => {
  const webhook = { url: 'https://example.com/hook', secret: 'do-not-show' }
  const created = await platform.post(webhooks, webhook)
  expect(created.status).toBe(201)
  expect(created.body).toEqual({
    id: expect.any(String),
    url: webhook.url,
    events: ['device.deleted'],
    routingTargetId: null,
    createdAt: expect.any(String),
    delivery: { state: 'ok', failures: 0, lastError: null, failingSince: null, retryAt: null },
  })
  expect((await platform.get(webhooks)).body).toEqual([created.body])
  const url = `${webhooks}/${created.body.id}`
  expect((await platform.delete(url, { token: other.token })).status).toBe(404)
  expect((await platform.delete(url)).status).toBe(204)
  expect((await platform.delete(url)).status).toBe(404)
  const { body } = await platform.get('/v1/audit-log?resourceType=provider_webhook')
  expect(body.map((entry: { action: string }) => entry.action)).toEqual(['delete', 'create'])
  expect(JSON.stringify(body)).not.toContain('do-not-show')
})

test.each([
  ['no secret', { secret: undefined }],
  ['an empty secret', { secret: '' }],
  ['no url', { url: undefined }],
  ['a url of another scheme', { url: 'file:///etc/passwd' }],
  ['an invalid url', { url: 'http://' }],
  ['a url with a password', { url: 'https://user:secret@example.com/' }],
  ['a routing target that is not a UUID', { routingTargetId: 'target' }],
])('subscribing refuses %s', async (_what, fields) => {
  const answer = await platform.post(webhooks, { url: 'https://example.com/', secret: 's', ...fields })
  expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } })
})

test('webhooks of a provider that does not exist are not found', async () => {
  const url = '/v1/providers/absent/webhooks'
  expect((await platform.get(url)).status).toBe(404)
  expect((await platform.post(url, { url: 'https://example.com/', secret: 's' })).status).toBe(404)
})

test('deleting a client sends device.deleted, signed, to the webhooks of its provider [docs/providers#webhooks]', async () => {
  await using receiver = await startReceiver()
  await using neighbour = await startReceiver()
  const routingTargetId = '019a0000-0000-7000-8000-000000000001'
  const secret = 'shared ünïcode secret'
  const { body: webhook } = await platform.post(webhooks, { url: receiver.url, secret, routingTargetId })
  await platform.post(webhooks, { url: neighbour.url, secret }, { token: other.token })
  const before = Date.now()
  await deleteNewClient('deleted')
  await runJobs()
  const [{ headers, body }, ...more] = receiver.received as [(typeof receiver.received)[0]]
  expect(more).toEqual([])
  expect(neighbour.received).toEqual([])
  expect(headers['x-webhook-signature']).toBe(createHmac('sha256', secret).update(body).digest('hex'))
  expect(headers['x-routing-target-id']).toBe(routingTargetId)
  const event = JSON.parse(body)
  expect(event).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    event: 'device.deleted',
    device_id: 'deleted',
    occurred_at: expect.any(String),
  })
  expect(Date.parse(event.occurred_at)).toBeGreaterThanOrEqual(before)
  await platform.delete(`${webhooks}/${webhook.id}`)
})

test('an event is sent again unchanged until the receiver accepts it [docs/providers#webhooks]', async () => {
  await using receiver = await startReceiver(503, 302, 202)
  const { body: webhook } = await platform.post(webhooks, { url: receiver.url, secret: 's' })
  await deleteNewClient('retried')
  for (let run = 0; run < 4; run++) await runJobs()
  expect(receiver.received).toHaveLength(3)
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
  expect(receiver.received[0]!.headers).not.toHaveProperty('x-routing-target-id')
  await platform.delete(`${webhooks}/${webhook.id}`)
})

test('a sealed secret that was copied from another webhook cannot be opened, and nothing is sent', async () => {
  await using receiver = await startReceiver()
  const [{ body: own }, { body: foreign }] = [
    await platform.post(webhooks, { url: receiver.url, secret: 'own' }),
    await platform.post(webhooks, { url: 'https://example.com/', secret: 'foreign' }),
  ]
  await platform.ctx.pool.query(
    `update provider_webhooks set secret_sealed = (select secret_sealed from provider_webhooks where id = $1)
     where id = $2`,
    [foreign.id, own.id],
  )
  const event = { id: newId(), event: 'device.deleted' as const, device_id: 'd', occurred_at: '' }
  await expect(deliverProviderEvent(platform.ctx, { webhookId: own.id, event })).rejects.toThrow()
  expect(receiver.received).toEqual([])
  for (const { id } of [own, foreign]) await platform.delete(`${webhooks}/${id}`)
})

test('waiting events are discarded with their webhook', async () => {
  await using receiver = await startReceiver()
  const { body: webhook } = await platform.post(webhooks, { url: receiver.url, secret: 's' })
  await deleteNewClient('unsubscribed')
  await platform.delete(`${webhooks}/${webhook.id}`)
  await runJobs()
  expect(receiver.received).toEqual([])
  const { rows } = await platform.ctx.pool.query('select 1 from graphile_worker._private_jobs')
  expect(rows).toEqual([])
})

test('what a webhook has not accepted is listed with the reason, is sent again, and is gone once it is accepted', async () => {
  await using receiver = await startReceiver(...Array<number>(100).fill(503))
  const { body: webhook } = await platform.post(webhooks, { url: receiver.url, secret: 's' })
  const url = `${webhooks}/${webhook.id}`
  expect((await platform.get(`${url}/deliveries`)).body).toEqual([])
  for (const id of ['listed-1', 'listed-2']) await deleteNewClient(id)
  const queued = (await platform.get(`${url}/deliveries`)).body
  expect(queued).toEqual(
    ['listed-1', 'listed-2'].map((deviceId) => ({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      event: 'device.deleted',
      deviceId,
      occurredAt: expect.any(String),
      state: 'waiting',
      attempts: 0,
      maxAttempts: 25,
      lastError: null,
      nextTryAt: expect.any(String),
      createdAt: expect.any(String),
    })),
  )
  const first = await platform.get(`${url}/deliveries?limit=1`)
  expect(first.body).toEqual([queued[0]])
  const [, next] = /<(.*)>/.exec(first.headers.get('link')!)!
  expect((await platform.get(next!)).body).toEqual([queued[1]])
  const errors = async () =>
    (await platform.get(`${url}/deliveries`)).body.map(({ lastError }: { lastError: string }) => lastError)
  {
    // Real workers, since they record why a try has failed.
    await using _jobs = await startTestJobs(platform.ctx, providerTasks(platform.ctx))
    await expect.poll(errors).toEqual(queued.map(({ id }: { id: string }) => `answered 503 to event ${id}`))
  }
  receiver.statuses.length = 0

  const { pool } = platform.ctx
  await pool.query(
    "update graphile_worker._private_jobs set attempts = max_attempts where payload -> 'event' ->> 'id' = $1",
    [queued[0].id],
  )
  const retry = (id: string, options = {}) =>
    platform.post(`${url}/deliveries/${id}/retry`, undefined, options)
  expect((await platform.get(`${url}/deliveries`)).body[0]).toMatchObject({
    state: 'failed',
    nextTryAt: null,
  })
  expect((await retry(queued[0].id, { token: other.token })).status).toBe(404)
  await pool.query(
    "update graphile_worker._private_jobs set locked_at = now(), locked_by = 'w' where payload -> 'event' ->> 'id' = $1",
    [queued[0].id],
  )
  expect(await retry(queued[0].id)).toMatchObject({ status: 409, body: { details: { state: 'sending' } } })
  await pool.query(
    "update graphile_worker._private_jobs set locked_at = null, locked_by = null where payload -> 'event' ->> 'id' = $1",
    [queued[0].id],
  )
  for (const { id } of queued)
    expect(await retry(id)).toMatchObject({ status: 200, body: { state: 'waiting', attempts: 0 } })
  await runJobs()
  expect((await platform.get(`${url}/deliveries`)).body).toEqual([])
  expect((await retry(queued[0].id)).status).toBe(404)
  expect((await retry('x')).status).toBe(400)
  const log = await platform.get('/v1/audit-log?resourceType=webhook_delivery')
  expect(log.body.map(({ action }: { action: string }) => action)).toEqual(['retry', 'retry'])
  expect((await platform.get(url)).body).toEqual({ ...webhook, delivery: expect.any(Object) })
  await platform.delete(url)
  for (const path of [url, `${url}/deliveries`]) expect((await platform.get(path)).status).toBe(404)
})

test('the deliveries of one webhook are not those of another', async () => {
  const [{ body: one }, { body: two }] = [
    await platform.post(webhooks, { url: 'https://example.com/1', secret: 's' }),
    await platform.post(webhooks, {
      url: 'https://example.com/2',
      secret: 's',
      events: ['certificate.revoked'],
    }),
  ]
  await deleteNewClient('of-one')
  const [delivery] = (await platform.get(`${webhooks}/${one.id}/deliveries`)).body
  expect((await platform.get(`${webhooks}/${two.id}/deliveries`)).body).toEqual([])
  expect((await platform.post(`${webhooks}/${two.id}/deliveries/${delivery.id}/retry`)).status).toBe(404)
  for (const { id } of [one, two]) await platform.delete(`${webhooks}/${id}`)
  await runJobs()
})
