import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '../../test/harness/database.ts'
import { createAccessTokens } from '../access/sign-in/access-tokens.ts'
import { createSealer, sealedPlace } from '../lib/seal.ts'
import { newId } from '../lib/ids.ts'
import { ensureFirstTenant } from '../organizations/first-start.ts'
import { resealAll } from './rotate-secret-key.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

const config = { adminEmail: 'admin@example.com', adminPassword: 'correct horse' }

async function insertTarget(sealer: ReturnType<typeof createSealer>) {
  const id = newId()
  await database.db
    .insertInto('routing_targets')
    .values({
      id,
      tenant_id: 'default',
      name: 'target',
      brokers: '[]',
      provider_base_url: 'http://localhost',
      provider_api_key_sealed: sealer.seal(
        'api key',
        sealedPlace('routing_targets', 'provider_api_key_sealed', id),
      ),
      webhook_secret_sealed: sealer.seal(
        'secret',
        sealedPlace('routing_targets', 'webhook_secret_sealed', id),
      ),
    })
    .execute()
  return id
}

/** A device with stored keys in a group of the target. */
async function insertCredentials(sealer: ReturnType<typeof createSealer>, targetId: string) {
  const [{ db }, groupId, device_id] = [database, newId(), 'pump-1']
  const device = { tenant_id: 'default', enrollment_group_id: groupId, device_id }
  await db
    .insertInto('enrollment_groups')
    .values({
      id: groupId,
      tenant_id: 'default',
      name: 'group',
      routing_target_id: targetId,
      response_template: '{}',
    })
    .execute()
  await db.insertInto('onboarding_devices').values(device).execute()
  await db
    .insertInto('onboarding_credentials')
    .values({
      ...device,
      provider: 'provider',
      credentials_sealed: sealer.seal(
        'keys',
        sealedPlace('onboarding_credentials', 'credentials_sealed', groupId, device_id),
      ),
      received_at: new Date(),
    })
    .execute()
}

test('every sealed value opens with the new key alone; a value that does not open changes nothing', async () => {
  const { db, pool } = database
  const [old, next] = [createSealer([randomBytes(32)]), createSealer([randomBytes(32)])]
  await ensureFirstTenant(db, config)
  await createAccessTokens(db, old)
  const id = await insertTarget(old)
  await insertCredentials(old, id)

  expect(await resealAll(pool, old, next)).toBe(4)
  const row = await db
    .selectFrom('routing_targets')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const place = sealedPlace('routing_targets', 'webhook_secret_sealed', id)
  expect(next.open(row.webhook_secret_sealed, place)).toBe('secret')
  expect(() => old.open(row.webhook_secret_sealed, place)).toThrow('does not have')
  await createAccessTokens(db, next)

  await insertTarget(createSealer([randomBytes(32)]))
  await expect(resealAll(pool, next, old)).rejects.toThrow('does not have')
  await createAccessTokens(db, next)
})

test('every bytea column that could hold a secret is named `…_sealed`, and its table has a primary key', async () => {
  const { rows } = await database.pool.query(`
    select table_name, column_name from information_schema.columns
    where table_schema = 'public' and data_type = 'bytea' and column_name not like '%\\_sealed' order by 1, 2`)
  // Digests, certificates and device payloads; a new secret must be sealed.
  expect(rows.map((row) => `${row.table_name}.${row.column_name}`)).toEqual([
    'api_tokens.secret_hash',
    'certificate_authorities.certificate',
    'certificate_authorities.crl',
    'dead_letters.payload',
    'device_certificates.certificate',
    'device_certificates.fingerprint',
    'device_certificates.public_key_fingerprint',
    'device_certificates.request_fingerprint',
    'kept_rollups.data',
    'mqtt_retained_messages.payload',
    'mqtt_session_messages.payload',
    'packed_rows.data',
    'packed_rows.rollups',
    'password_resets.token_hash',
    'refresh_tokens.parent_hash',
    'refresh_tokens.token_hash',
    'unreadable_batches.payload',
  ])
})
