import { verify } from '@node-rs/bcrypt'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listAuditActions } from '../../../test/harness/audit.ts'
import { makeImportProvider } from '../../../test/harness/import-provider.ts'
import { connectSession } from '../../../test/harness/live-session.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

const clients = '/v1/providers/mqtt/clients'

async function newClient(id: string) {
  await platform.post(clients, { id, displayName: id })
  return (await credentials(id)).body as Keys
}
interface Keys {
  primaryKey: string
  secondaryKey: string
}
const credentials = (id: string) => platform.get(`${clients}/${id}/credentials`)
const rotate = (id: string) => platform.post(`${clients}/${id}/credentials/rotate`)
const readRow = (id: string) =>
  platform.ctx.db.selectFrom('provider_clients').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

test('keys are 256 random bits in base64, stored only sealed and hashed [docs/providers#credentials]', async () => {
  const { primaryKey, secondaryKey } = await newClient('keys')
  for (const key of [primaryKey, secondaryKey]) expect(key).toMatch(/^[A-Za-z0-9+/]{43}=$/)
  expect(primaryKey).not.toBe(secondaryKey)
  const row = await readRow('keys')
  expect(await verify(primaryKey, row.primary_key_hash!)).toBe(true)
  expect(await verify(secondaryKey, row.secondary_key_hash!)).toBe(true)
  expect(await verify(secondaryKey, row.primary_key_hash!)).toBe(false)
  for (const sealed of [row.primary_key_sealed!, row.secondary_key_sealed!])
    for (const key of [primaryKey, secondaryKey]) expect(sealed.includes(key)).toBe(false)
})

test("a key sealed for one client opens as no other's", async () => {
  await newClient('victim')
  await newClient('thief')
  const { primary_key_sealed } = await readRow('victim')
  await platform.ctx.db
    .updateTable('provider_clients')
    .set({ primary_key_sealed })
    .where('id', '=', 'thief')
    .execute()
  expect((await credentials('thief')).body).toMatchObject({ error: 'internal_error' })
})

test('each reading of the keys is in the audit log, and a refused one is not [docs/providers#credentials]', async () => {
  await platform.post(clients, { id: 'read', displayName: 'Read' })
  expect(await listAuditActions(platform, 'read')).toEqual(['create'])
  const token = await platform.post('/v1/api-tokens', { displayName: 'Reader' })
  const headers = { 'x-request-id': 'who-read-it' }
  const { body: keys } = await platform.get(`${clients}/read/credentials`, {
    token: token.body.token,
    headers,
  })
  await platform.get(`${clients}/read/credentials`, { token: null })
  const other = await platform.makeTenant('other-reader')
  await platform.get(`${clients}/read/credentials`, { token: other.token })
  const entries = (await platform.get('/v1/audit-log?resourceId=read')).body
  expect(entries).toMatchObject([
    {
      action: 'read-keys',
      actorType: 'api_token',
      actorId: token.body.id,
      resourceType: 'provider_client',
      requestId: 'who-read-it',
      before: null,
      after: null,
    },
    { action: 'create' },
  ])
  expect(JSON.stringify(entries)).not.toContain(keys.primaryKey)
})

test('rotation makes the secondary key primary and generates a new secondary key [docs/providers#credentials]', async () => {
  const before = await newClient('rotated')
  const { status, body: after } = await rotate('rotated')
  expect(status).toBe(200)
  expect(after.primaryKey).toBe(before.secondaryKey)
  expect([before.primaryKey, before.secondaryKey]).not.toContain(after.secondaryKey)
  expect((await credentials('rotated')).body).toEqual(after)
  const row = await readRow('rotated')
  expect(await verify(after.primaryKey, row.primary_key_hash!)).toBe(true)
  expect(await verify(after.secondaryKey, row.secondary_key_hash!)).toBe(true)
  expect(await verify(before.primaryKey, row.primary_key_hash!)).toBe(false)
})

test('concurrent rotations each retire one key, and no key is lost', async () => {
  const first = await newClient('raced')
  const answers = await Promise.all(Array.from({ length: 6 }, () => rotate('raced')))
  const bySecondary = new Map(
    answers.map(({ body }) => [body.primaryKey as string, body.secondaryKey as string]),
  )
  // The primary key of each answer is the secondary key of the previous rotation, so the answers form one chain.
  let key = first.secondaryKey
  for (let step = 0; step < answers.length; step++) key = bySecondary.get(key)!
  expect((await credentials('raced')).body.secondaryKey).toBe(key)
  expect(bySecondary.size).toBe(answers.length)
})

test('rotation ends sessions of the previous primary key; those of the secondary key continue as primary [docs/providers#credentials]', async () => {
  await newClient('live')
  const primary = connectSession(platform.ctx, 'live', [], 'primary')
  const secondary = connectSession(platform.ctx, 'live', [], 'secondary')
  const certificate = connectSession(platform.ctx, 'live', [], 'certificate')
  await rotate('live')
  expect(primary.ended).toMatchObject({
    reason: 'keys_rotated',
    message: expect.stringMatching(/^Administrator /),
  })
  expect(secondary).toMatchObject({ ended: undefined, signedInWith: 'primary' })
  await rotate('live')
  expect(secondary.ended?.reason).toBe('keys_rotated')
  expect(certificate).toMatchObject({ ended: undefined, signedInWith: 'certificate' })
})

test('reading and rotating credentials is a conflict for a client whose provider has none', async () => {
  await makeImportProvider(platform)
  await platform.post('/v1/providers/files/clients', { id: 'keyless', displayName: 'Keyless' })
  const at = '/v1/providers/files/clients/keyless/credentials'
  for (const answer of [await platform.get(at), await platform.post(`${at}/rotate`)]) {
    expect([answer.status, answer.body.error]).toEqual([409, 'conflict'])
    expect(answer.body.message).toContain('keyless has no credentials')
  }
})

test('credentials of a client that does not exist are not found', async () => {
  expect((await credentials('absent')).status).toBe(404)
  expect((await rotate('absent')).status).toBe(404)
  expect((await platform.get('/v1/providers/absent/clients/keys/credentials')).status).toBe(404)
})
