import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { codeBlocks } from '../../../test/harness/code-blocks.ts'
import { makeGroup } from '../../../test/harness/enrollment-group.ts'
import { missingPrograms, root } from '../../../test/harness/example-programs.ts'
import { startPlatform } from '../../../test/harness/platform.ts'
import { deriveKey } from './derive-key.ts'
import { type BootstrapKey, matchKey } from './match-key.ts'
import type { Slot } from './slots.ts'

const platform = await startPlatform()
afterAll(() => platform[Symbol.asyncDispose]())

const vector = {
  bootstrapKey: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
  deviceId: 'pump-21',
  derivedKey: 'kSmtuzzSnHo+SQe9EX+QOrldWnTcM+swVhQDXJqYTmw=',
}
const derive = (key: string, deviceId: string) => deriveKey(Buffer.from(key, 'base64'), deviceId)

test('[docs/onboarding#derived-keys] the key is derived from the decoded bytes of the bootstrap key', () => {
  expect(derive(vector.bootstrapKey, vector.deviceId)).toBe(vector.derivedKey)
})

const missing = missingPrograms(['openssl'], 'version')
if (missing.length > 0) console.log('Skipped: OpenSSL derives the same key (openssl is not installed)')

test.skipIf(missing.length > 0)('[docs/onboarding#derived-keys] OpenSSL derives the same key', () => {
  const page = readFileSync(join(root, 'docs', 'onboarding.md'), 'utf8')
  expect(execFileSync('sh', ['-c', codeBlocks(page, 'sh')]).toString()).toBe(vector.derivedKey)
  expect(page).toContain(vector.derivedKey)
})

const makeKey = (slot: Slot, fill: number): BootstrapKey => {
  const bytes = Buffer.alloc(32, fill)
  return { id: slot, slot, bytes, text: Buffer.from(bytes.toString('base64')) }
}
const bootstrapKeys = [makeKey('primary', 1), makeKey('secondary', 2)]

test.each(bootstrapKeys)('the key of the $slot slot matches as it is and derived', (key) => {
  const derived = Buffer.from(deriveKey(key.bytes, 'pump-1'))
  const any = { bootstrapKeys, keyPolicy: 'any' } as const
  const derivedOnly = { bootstrapKeys, keyPolicy: 'derived_only' } as const
  expect(matchKey(any, 'pump-1', key.text)).toEqual({ key, kind: 'bootstrap', allowed: true })
  expect(matchKey(any, 'pump-1', derived)).toEqual({ key, kind: 'derived', allowed: true })
  expect(matchKey(derivedOnly, 'pump-1', key.text)).toEqual({ key, kind: 'bootstrap', allowed: false })
  expect(matchKey(derivedOnly, 'pump-1', derived)).toEqual({ key, kind: 'derived', allowed: true })
})

test.each([
  ['nothing', ''],
  ['the derived key of another device', derive(vector.bootstrapKey, 'pump-22')],
  [
    'a key derived from the text of the bootstrap key',
    deriveKey(Buffer.from(vector.bootstrapKey), vector.deviceId),
  ],
  ['a key without padding', vector.derivedKey.slice(0, -1)],
  ['a key with a line feed', `${vector.derivedKey}\n`],
  ['another spelling of the same bytes', vector.derivedKey.replace(/w=$/, 'x=')],
  ['44 bytes in fewer characters', 'é'.repeat(22)],
  ['a long text', 'A'.repeat(100_000)],
])('%s matches no key', (_what, secret) => {
  const bytes = Buffer.from(vector.bootstrapKey, 'base64')
  const keys: BootstrapKey[] = [{ id: '1', slot: 'primary', bytes, text: Buffer.from(vector.bootstrapKey) }]
  for (const keyPolicy of ['any', 'derived_only'] as const)
    expect(matchKey({ bootstrapKeys: keys, keyPolicy }, vector.deviceId, Buffer.from(secret))).toBeUndefined()
})

test('[docs/onboarding#derived-keys] derived_only refuses the bootstrap key like a wrong key, from the next request on', async () => {
  const group = await makeGroup(platform)
  const path = `/api/enrollment-groups/${group.groupId}`
  for (const id of ['derived-1', 'derived-2']) {
    await group.add(id)
    await group.provision(id)
  }
  const own = derive(group.bootstrapKey, 'derived-1')
  expect((await group.settings('derived-1')).status).toBe(200)
  expect((await group.settings('derived-1', own)).status).toBe(200)
  expect((await group.settings('derived-2', own)).status).toBe(401)

  const changed = await platform.put(path, { key_policy: 'derived_only' })
  expect(changed).toMatchObject({ status: 200, body: { key_policy: 'derived_only' } })
  expect((await group.settings('derived-1', own)).status).toBe(200)
  const refused = await group.settings('derived-1')
  expect(refused.status).toBe(401)
  expect(refused.body).toEqual((await group.settings('derived-1', 'wrong')).body)

  await platform.put(path, { key_policy: 'any' })
  expect((await group.settings('derived-1')).status).toBe(200)
  const { body: entries } = await platform.get(`/v1/audit-log?resourceId=${group.groupId}`)
  expect(entries[0]).toMatchObject({ before: { key_policy: 'derived_only' }, after: { key_policy: 'any' } })
})

test('a group is created with its key policy', async () => {
  const group = await makeGroup(platform, { group: { key_policy: 'derived_only' } })
  await group.add('strict')
  await group.provision('strict')
  expect((await group.settings('strict')).status).toBe(401)
  expect((await group.settings('strict', derive(group.bootstrapKey, 'strict'))).status).toBe(200)
})
