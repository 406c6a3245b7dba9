import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, expect, test, vi } from 'vitest'
import { childProgram } from '../../../test/harness/child-program.ts'
import { testLog as log } from '../../../test/harness/log.ts'
import { temporaryDirectory } from '../../../test/harness/temporary-directory.ts'
import { createPool } from '../pool.ts'
import type { Connection } from './connection.ts'
import { startEmbeddedDatabase } from './start.ts'
import { preparedPrograms } from '../../../test/harness/prepared-programs.ts'

const settings = { fsync: 'off' }
const programs = preparedPrograms()
const runEmbedded = await childProgram('run-embedded')
afterAll(() => runEmbedded[Symbol.asyncDispose]())

const alive = async (pid: number) =>
  /^State:\s+[^Z]/m.test(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''))
const untilDead = (pid: number) => vi.waitUntil(async () => !(await alive(pid)))

/** Retries, like a server whose database is unavailable. */
const insist = <T>(attempt: () => Promise<T>): Promise<T> => vi.waitFor(attempt)

const start = (dataDir: string) => startEmbeddedDatabase({ dataDir, log, settings, programs })

/** A server in a process of its own, to be killed. */
async function serverAt(dataDir: string) {
  const child = runEmbedded.run(JSON.stringify({ dataDir, settings, programs }))
  return { child, ...(JSON.parse(await child.firstLine) as { connection: Connection; pid: number }) }
}

async function findWatchdog(postmaster: number) {
  for (const pid of await readdir('/proc')) {
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (commandLine.includes(`gangway-watchdog\0${postmaster}\0`)) return Number(pid)
  }
  throw new Error('there is no watchdog')
}

test('a postmaster that is killed repeatedly is restarted, and the same pool works again', async () => {
  await using directory = await temporaryDirectory()
  await using database = await start(directory.path)
  const pool = createPool(database.connection, log)
  await pool.query('create table kept (round int)')
  // A client outside of the pool without a running query, whose loss could end the process.
  const idle = await pool.connect()
  for (const round of [1, 2, 3]) {
    const killed = database.pid()!
    process.kill(killed, 'SIGKILL')
    // Its backends may still answer for a moment.
    await vi.waitUntil(() => database.pid() !== undefined && database.pid() !== killed)
    await insist(() => pool.query('insert into kept values ($1)', [round]))
  }
  await expect(idle.query('select 1')).rejects.toThrow(/not queryable|terminat/)
  idle.release()
  expect((await pool.query('select round from kept order by round')).rows).toEqual([
    { round: 1 },
    { round: 2 },
    { round: 3 },
  ])
  await pool.end()
})

test('it can be stopped between two starts', async () => {
  await using directory = await temporaryDirectory()
  const database = await start(directory.path)
  const killed = database.pid()!
  process.kill(killed, 'SIGKILL')
  await untilDead(killed)
  await database[Symbol.asyncDispose]()
  expect(database.pid()).toBeUndefined()
})

test('when the server is killed, its PostgreSQL shuts down cleanly', async () => {
  await using directory = await temporaryDirectory()
  const { child, pid } = await serverAt(directory.path)
  await child.kill9()
  await untilDead(pid)
  expect(await readdir(join(directory.path, 'postgres')), 'a fast shutdown, no crash').not.toContain(
    'postmaster.pid',
  )
})

test('a new server stops the PostgreSQL of a killed one, and all commits are there', async () => {
  await using directory = await temporaryDirectory()
  const { child, connection, pid } = await serverAt(directory.path)
  const client = new Client(connection)
  client.on('error', () => {})
  await client.connect()
  await client.query('create table kept as select 7 as seven')
  process.kill(await findWatchdog(pid), 'SIGKILL')
  await child.kill9()
  expect(await alive(pid)).toBe(true)

  await using database = await start(directory.path)
  expect(await alive(pid)).toBe(false)
  await using pool = Object.assign(createPool(database.connection, log), {
    [Symbol.asyncDispose]: (): Promise<void> => pool.end(),
  })
  expect((await pool.query('select * from kept')).rows).toEqual([{ seven: 7 }])
})

test('server and PostgreSQL can be killed together', async () => {
  await using directory = await temporaryDirectory()
  const { child, pid } = await serverAt(directory.path)
  process.kill(pid, 'SIGKILL')
  await child.kill9()
  await using database = await start(directory.path)
  expect(await alive(pid)).toBe(false)
  expect(database.pid()).not.toBe(pid)
})

test('a process id that was reused by another process is no obstacle, and that process is not killed', async () => {
  await using directory = await temporaryDirectory()
  await (await start(directory.path))[Symbol.asyncDispose]()
  const cluster = join(directory.path, 'postgres')
  const { uid, gid } = await stat(cluster)
  const stranger = spawn('sleep', ['60'], { uid, gid, cwd: '/' })
  try {
    await once(stranger, 'spawn')
    const lines = [stranger.pid, cluster, 1_700_000_000, 5432, cluster, '', ' 1234567         1', 'ready   ']
    await writeFile(join(cluster, 'postmaster.pid'), `${lines.join('\n')}\n`)
    await using database = await start(directory.path)
    expect(database.pid()).not.toBe(stranger.pid)
    expect(await alive(stranger.pid!)).toBe(true)
  } finally {
    stranger.kill('SIGKILL')
  }
})
