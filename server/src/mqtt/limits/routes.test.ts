import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { describeLimits } from './describe-limits.ts'
import { addLimitEvents } from './store.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

const clients = '/v1/providers/mqtt/clients'

test('a device has its limits, and what they did [docs/mqtt#ledger]', async () => {
  await platform.post(clients, { id: 'pump', displayName: 'Pump' })
  const { rows } = await platform.ctx.pool.query("select number from provider_clients where id = 'pump'")
  const at = new Date('2026-03-01T00:00:00.000Z')
  await addLimitEvents(platform.ctx.db, [
    {
      client_number: rows[0].number,
      limit_name: 'unsent_bytes',
      outcome: 'dropped',
      count: 3,
      bytes: 30,
      delay_ms: 0,
      first_at: at,
      last_at: at,
      message: 'Read faster.',
    },
  ])
  const { status, body } = await platform.get(`${clients}/pump/limits`)
  expect(status).toBe(200)
  expect(body.limits).toContainEqual({
    limit: 'unsent_bytes',
    value: 256 * 1024,
    unit: 'bytes',
    description: expect.any(String),
    events: [
      {
        outcome: 'dropped',
        count: 3,
        bytes: 30,
        delayMs: 0,
        firstAt: at.toISOString(),
        lastAt: at.toISOString(),
        message: 'Read faster.',
      },
    ],
  })
  expect(body.limits.filter(({ events }: { events: unknown[] }) => events.length > 0)).toHaveLength(1)
})

test('a client that does not connect here has none', async () => {
  await platform.post('/v1/providers', {
    id: 'files',
    type: 'import',
    displayName: 'Files',
    organizationId: platform.organizationId,
  })
  await platform.post('/v1/providers/files/clients', { id: 'import-1', displayName: 'Import' })
  const answer = await platform.get('/v1/providers/files/clients/import-1/limits')
  expect(answer).toMatchObject({ status: 409, body: { error: 'conflict' } })
  expect((await platform.get(`${clients}/nobody/limits`)).status).toBe(404)
})

test('the guide lists each limit with its value', async () => {
  const guide = await readFile(new URL('../../../../docs/mqtt.md', import.meta.url), 'utf8')
  const lines = guide.split('\n')
  const missing = describeLimits(platform.ctx.config).filter(
    ({ limit, value }) =>
      !lines.some(
        (line) =>
          line.startsWith(`| \`${limit}\` |`) &&
          line.includes(value === null ? '' : value.toLocaleString('en-US')),
      ),
  )
  expect(missing).toEqual([])
})
