import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { childProgram } from '../../test/harness/child-program.ts'
import { temporaryDirectory } from '../../test/harness/temporary-directory.ts'
import { DirectoryInUseError, lockDirectory } from './directory-lock.ts'

const holdLock = await childProgram('hold-lock')
afterAll(() => holdLock[Symbol.asyncDispose]())

test('a second lock is refused until the first is released', async () => {
  await using directory = await temporaryDirectory()
  const first = await lockDirectory(directory.path)
  const refusal = await lockDirectory(directory.path).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(DirectoryInUseError)
  expect((refusal as Error).message).toContain(directory.path)
  await first[Symbol.asyncDispose]()
  await using second = await lockDirectory(directory.path)
  expect(second).toBeDefined()
})

test('makes the directory when it is absent', async () => {
  await using directory = await temporaryDirectory()
  await using lock = await lockDirectory(join(directory.path, 'a/b'))
  expect(lock).toBeDefined()
  expect(await readdir(join(directory.path, 'a/b'))).toEqual(['gangway.lock'])
})

test('kill -9 of the holder releases it', async () => {
  await using directory = await temporaryDirectory()
  const holder = holdLock.run(directory.path)
  expect(await holder.firstLine).toBe('locked')
  await expect(lockDirectory(directory.path)).rejects.toThrow(DirectoryInUseError)
  await holder.kill9()
  await using lock = await lockDirectory(directory.path)
  expect(lock).toBeDefined()
  expect(await readdir(join(directory.path, 'gangway.lock')), 'the dead socket is removed').toHaveLength(1)
})

test('a holder that does not respond keeps it', async () => {
  await using directory = await temporaryDirectory()
  await using holder = holdLock.run(directory.path)
  expect(await holder.firstLine).toBe('locked')
  process.kill(holder.pid, 'SIGSTOP')
  await expect(lockDirectory(directory.path)).rejects.toThrow(DirectoryInUseError)
})

test('exactly one of several processes that start at once gets it', async () => {
  await using directory = await temporaryDirectory()
  const outcomes = await Promise.all(Array.from({ length: 4 }, () => holdLock.run(directory.path).firstLine))
  expect(outcomes.toSorted()).toEqual(['locked', 'refused', 'refused', 'refused'])
})

test('exactly one of many concurrent attempts in one process gets it, also over stale sockets', async () => {
  await using directory = await temporaryDirectory()
  const holder = holdLock.run(directory.path)
  await holder.firstLine
  await holder.kill9()
  const comers = await Promise.allSettled(Array.from({ length: 20 }, () => lockDirectory(directory.path)))
  const locks = comers.filter((comer) => comer.status === 'fulfilled')
  const refusals = comers.filter((comer) => comer.status === 'rejected')
  expect(locks).toHaveLength(1)
  expect(refusals.every(({ reason }) => reason instanceof DirectoryInUseError)).toBe(true)
  await locks[0]!.value[Symbol.asyncDispose]()
})

test('a path too long for a socket is no obstacle', async () => {
  await using directory = await temporaryDirectory()
  const long = join(directory.path, 'long-'.repeat(20), 'longer-'.repeat(20))
  await mkdir(long, { recursive: true })
  await using lock = await lockDirectory(long)
  expect(lock).toBeDefined()
  await expect(lockDirectory(long)).rejects.toThrow(DirectoryInUseError)
  expect(await holdLock.run(long).firstLine).toBe('refused')
})
