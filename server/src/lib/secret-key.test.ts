import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadSecretKeys, secretKeyFile } from './secret-key.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gangway-key-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

const load = (secretKey?: Buffer) => loadSecretKeys({ dataDir, secretKey })

test('is made once, for its owner alone, and is the same ever after', async () => {
  const [key] = await load()
  expect(key).toHaveLength(32)
  expect(await load()).toEqual([key])
  expect((await stat(secretKeyFile(dataDir))).mode & 0o777).toBe(0o600)
})

test('servers that start at once agree on one', async () => {
  const all = await Promise.all([load(), load(), load()])
  expect(new Set(all.map(([key]) => key!.toString('hex'))).size).toBe(1)
})

test('a given key is used and none is written', async () => {
  const given = randomBytes(32)
  expect(await load(given)).toEqual([given])
  await expect(readFile(secretKeyFile(dataDir))).rejects.toThrow('ENOENT')
})

test('a damaged file is refused, not replaced', async () => {
  await writeFile(secretKeyFile(dataDir), 'half a k')
  await expect(load()).rejects.toThrow('is damaged')
})
