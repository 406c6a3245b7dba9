import { connect } from 'node:net'
import { once } from 'node:events'
import { afterAll, expect, test } from 'vitest'
import { fakeProviderKey, startFakeProvider } from '../../../../test/harness/fake-provider.ts'
import { makeGroup } from '../../../../test/harness/enrollment-group.ts'
import { startPlatform } from '../../../../test/harness/platform.ts'
import { MAX_LINE_BYTES } from './read-device-lines.ts'

const platform = await startPlatform()
const provider = await startFakeProvider()
afterAll(async () => {
  await platform[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

const elsewhere = { provider_base_url: provider.url, provider_api_key: fakeProviderKey }
const ndjson = { 'content-type': 'application/x-ndjson' }
const line = (id: unknown) => JSON.stringify({ device_id: id })
const numbered = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, n) => line(`${prefix}-${n}`)).join('\n')
const bulk = (groupId: string, body: unknown, headers: Record<string, string> = ndjson) =>
  platform.post(`/api/enrollment-groups/${groupId}/devices/bulk`, body, { headers })
const countDevices = async (groupId: string) => {
  const { count } = await platform.ctx.db
    .selectFrom('onboarding_devices')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('enrollment_group_id', '=', groupId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

test('[docs/onboarding#bulk-add] invalid lines are reported with their number, the other lines are added, and blank lines are ignored', async () => {
  const { groupId } = await makeGroup(platform)
  const body = [
    line('good-1'),
    '',
    '{"device_id":',
    line('good-2'),
    line('good-1'),
    '[]',
    line(7),
    line('a/b'),
    line('a"b'),
    line(''),
    line('x'.repeat(129)),
    `{"device_id":"good-3","pad":"${' '.repeat(MAX_LINE_BYTES)}"}`,
    '  \t\r',
    '{"device_id":"gööd"}',
    `{"device_id":"good-4","note":"ünïcode"}\r`,
    line('..'),
    '{"device_id":"half","note":"\\ud800"}',
  ].join('\n')
  const { status, body: result } = await bulk(groupId, body)
  expect(status).toBe(200)
  expect(result).toMatchObject({ added: 3, skipped: 1 })
  expect(
    result.errors.map((error: { line: number; device_id: string | null }) => [error.line, error.device_id]),
  ).toEqual([
    [3, null],
    [6, null],
    [7, null],
    [8, 'a/b'],
    [9, 'a"b'],
    [10, ''],
    [11, 'x'.repeat(128)],
    [12, null],
    [14, 'gööd'],
    [16, '..'],
    [17, 'half'],
  ])
  for (const error of result.errors)
    expect(error).toMatchObject({ error: 'validation_error', message: expect.any(String) })
})

test('invalid UTF-8 is an error of its line', async () => {
  const { groupId } = await makeGroup(platform)
  const { body } = await bulk(
    groupId,
    Buffer.concat([Buffer.from('{"device_id":"a'), Buffer.of(0xff), Buffer.from(`"}\n${line('utf8-ok')}`)]),
  )
  expect(body).toMatchObject({ added: 1, errors: [{ line: 1, error: 'validation_error' }] })
})

test('[docs/onboarding#bulk-add] existing devices are skipped and not validated again', async () => {
  const { groupId } = await makeGroup(platform, { target: elsewhere })
  expect((await bulk(groupId, numbered(3, 'twice'))).body).toEqual({ added: 3, skipped: 0, errors: [] })
  provider.calls.length = 0
  expect((await bulk(groupId, numbered(4, 'twice'))).body).toEqual({ added: 1, skipped: 3, errors: [] })
  expect(provider.calls).toEqual(['POST /clients/validate {"id":"twice-3"}'])
})

test('an answer with many errors, which is streamed in chunks, has each error once', async () => {
  const { groupId } = await makeGroup(platform)
  const { status, body } = await bulk(groupId, Array.from({ length: 1201 }, () => '{').join('\n'))
  expect(status).toBe(200)
  expect(body).toMatchObject({ added: 0, skipped: 0 })
  expect(body.errors.map((each: { line: number }) => each.line)).toEqual(
    Array.from({ length: 1201 }, (_, index) => index + 1),
  )
})

test('[docs/onboarding#bulk-add] devices that the provider refuses are in errors, the other devices are added', async () => {
  const { groupId } = await makeGroup(platform, { target: elsewhere })
  provider.behave((request, response) => {
    const { id } = request.json as { id: string }
    response.end(JSON.stringify({ valid: id !== 'p-1', message: 'not in my stock' }))
  })
  const { body } = await bulk(groupId, numbered(3, 'p'))
  provider.behave()
  expect(body).toEqual({
    added: 2,
    skipped: 0,
    errors: [{ line: 2, device_id: 'p-1', error: 'provider_rejected', message: 'not in my stock' }],
  })
})

test('an unavailable provider is an error of every line, not of the request', async () => {
  const { groupId } = await makeGroup(platform, {
    target: { ...elsewhere, provider_base_url: 'http://127.0.0.1:1' },
  })
  const { status, body } = await bulk(groupId, numbered(50, 'away'))
  expect(status).toBe(200)
  expect(body).toMatchObject({ added: 0, skipped: 0 })
  expect(body.errors).toHaveLength(50)
  expect(body.errors[49]).toMatchObject({ line: 50, error: 'provider_unavailable' })
})

test('[docs/onboarding#bulk-add] 10,000 devices pass, 10,001 lines add nothing', async () => {
  const { groupId } = await makeGroup(platform)
  const tooMany = await bulk(groupId, `${numbered(10_000, 'limit')}\nnot even JSON`)
  expect(tooMany).toMatchObject({ status: 413, body: { error: 'payload_too_large' } })
  expect(await countDevices(groupId)).toBe(0)
  expect((await bulk(groupId, `\n${numbered(10_000, 'limit')}\n\n`)).body).toEqual({
    added: 10_000,
    skipped: 0,
    errors: [],
  })
  expect(await countDevices(groupId)).toBe(10_000)
  const { body: entries } = await platform.get('/v1/audit-log?resourceId=limit-9999')
  expect(entries).toMatchObject([
    { action: 'create', after: { device_id: 'limit-9999', status: 'registered' } },
  ])
})

test('another content type, or none, makes the whole request fail', async () => {
  const { groupId } = await makeGroup(platform)
  for (const type of ['application/json', 'text/plain', 'application/x-ndjson-seq'])
    expect(await bulk(groupId, line('a'), { 'content-type': type })).toMatchObject({
      status: 415,
      body: { error: 'unsupported_media_type' },
    })
  expect(await bulk(groupId, undefined, {})).toMatchObject({ status: 415 })
  expect(
    (await bulk(groupId, line('a'), { 'content-type': 'application/x-ndjson; charset=utf-8' })).status,
  ).toBe(200)
  expect(await countDevices(groupId)).toBe(1)
})

test('concurrent requests with the same devices add each device once', async () => {
  const { groupId } = await makeGroup(platform)
  const lines = numbered(500, 'raced').split('\n')
  const answers = await Promise.all(
    [lines, lines.toReversed(), lines, lines.toReversed()].map((some) => bulk(groupId, some.join('\n'))),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(answers.reduce((sum, { body }) => sum + body.added, 0)).toBe(500)
  expect(answers.reduce((sum, { body }) => sum + body.skipped, 0)).toBe(1500)
})

test('a line of 1 GB is never kept in memory, and the request is answered with an error', async () => {
  const { groupId } = await makeGroup(platform)
  const chunk = Buffer.alloc(1024 * 1024, 0x61)
  let sent = 0
  let most = process.memoryUsage().rss
  const before = most
  const body = new ReadableStream({
    pull(controller) {
      most = Math.max(most, process.memoryUsage().rss)
      if (sent === 1024) return controller.close()
      sent++
      controller.enqueue(chunk)
    },
  })
  const response = await fetch(`${platform.url}/api/enrollment-groups/${groupId}/devices/bulk`, {
    method: 'POST',
    body,
    duplex: 'half',
    headers: { ...ndjson, authorization: `Bearer ${platform.adminToken}` },
  } as RequestInit)
  expect(response.status).toBe(413)
  expect(await response.json()).toMatchObject({ error: 'payload_too_large' })
  expect(most - before).toBeLessThan(200 * 1024 * 1024)
  expect(await countDevices(groupId)).toBe(0)
})

test('a sender that reads only after it has sent everything receives the error', async () => {
  const { groupId } = await makeGroup(platform)
  const megabytes = 60
  const socket = connect(Number(new URL(platform.url).port), '127.0.0.1').pause()
  socket.write(
    `POST /api/enrollment-groups/${groupId}/devices/bulk HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-ndjson\r\n` +
      `authorization: Bearer ${platform.adminToken}\r\ncontent-length: ${megabytes * 1024 * 1024}\r\n\r\n`,
  )
  const chunk = Buffer.alloc(1024 * 1024, 0x61)
  for (let sent = 0; sent < megabytes; sent++) if (!socket.write(chunk)) await once(socket, 'drain')
  const [answer] = await once(socket.resume(), 'data')
  expect(String(answer)).toMatch(/^HTTP\/1.1 413 /)
  socket.destroy()
})

test('a request that ends early adds nothing', async () => {
  const { groupId } = await makeGroup(platform)
  const socket = connect(Number(new URL(platform.url).port), '127.0.0.1')
  socket.write(
    `POST /api/enrollment-groups/${groupId}/devices/bulk HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-ndjson\r\n` +
      `authorization: Bearer ${platform.adminToken}\r\ncontent-length: 1000\r\n\r\n${line('broken-off')}\n`,
  )
  await once(socket, 'connect')
  socket.destroy()
  // The server still works, and the device was not added before.
  expect((await bulk(groupId, line('broken-off'))).body).toEqual({ added: 1, skipped: 0, errors: [] })
})
