import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findSecretKeys, makeSecretKeys, secretKeyFile } from './secret-key.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gangway-key-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

const find = (secretKey?: Buffer) => findSecretKeys({ dataDir, secretKey })

test('is made once, is readable only by its owner, and stays the same', async () => {
  expect(await find()).toBeUndefined()
  const [key] = await makeSecretKeys(dataDir)
  expect(key).toHaveLength(32)
  expect(await find()).toEqual([key])
  expect(await makeSecretKeys(dataDir)).toEqual([key])
  expect((await stat(secretKeyFile(dataDir))).mode & 0o777).toBe(0o600)
})

test('servers that start at once agree on one', async () => {
  const all = await Promise.all([1, 2, 3].map(() => makeSecretKeys(dataDir)))
  expect(new Set(all.map(([key]) => key!.toString('hex'))).size).toBe(1)
})

test('a given key is used and none is written', async () => {
  const given = randomBytes(32)
  expect(await find(given)).toEqual([given])
  await expect(readFile(secretKeyFile(dataDir))).rejects.toThrow('ENOENT')
})

test('a damaged file is refused, not replaced', async () => {
  await writeFile(secretKeyFile(dataDir), 'half a k')
  await expect(find()).rejects.toThrow('is damaged')
})
