/**
 * A PostgreSQL of this machine that a test kills. It is started again, as systemd does it, and writes what it commits to the disk.
 *
 *     await using postgres = await startSystemPostgres()
 *     postgres.kill()
 */
import { execFile } from 'node:child_process'
import { chownSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findPrograms, ordinaryAccount } from './streaming-replica.ts'
import { temporaryDirectory } from './temporary-directory.ts'
import { execute } from './test-server.ts'

export interface KilledPostgres extends AsyncDisposable {
  /** The user of this URL owns the database and is no superuser. */
  url: string
  kill(): Promise<void>
}

const RETRY_MS = 100

export async function startSystemPostgres(): Promise<KilledPostgres> {
  const programs = findPrograms()
  if (programs === undefined)
    throw new Error('There is no system PostgreSQL here (Debian package postgresql).')
  const { path: home, [Symbol.asyncDispose]: remove } = await temporaryDirectory()
  const account = ordinaryAccount()
  if (account) chownSync(home, account.uid, account.gid)
  const data = join(home, 'data')
  const run = (program: string, ...args: string[]) =>
    promisify(execFile)(join(programs, program), args, { ...account, cwd: home })
  const options = `-c listen_addresses='' -c unix_socket_directories='${home}'`
  const start = () => run('pg_ctl', '-D', data, '-w', '-l', join(home, 'log'), '-o', options, 'start')
  const urlOf = (user: string, database: string) =>
    `postgresql://${user}@localhost:5432/${database}?host=${encodeURIComponent(home)}`
  const stopping = new AbortController()
  let restarting = Promise.resolve()
  const restart = async () => {
    // Its processes hold its memory until they have noticed that it is dead.
    for (let isUp = false; !isUp && !stopping.signal.aborted; await sleep(RETRY_MS))
      isUp = await start().then(
        () => true,
        () => false,
      )
  }

  await run('initdb', '-D', data, '-U', 'admin', '-A', 'trust', '--no-sync')
  await start()
  await execute(urlOf('admin', 'postgres'), 'create role gangway login')
  await execute(
    urlOf('admin', 'postgres'),
    `create database gangway owner gangway encoding 'UTF8' template template0`,
  )
  return {
    url: urlOf('gangway', 'gangway'),
    kill: async () => {
      await restarting
      process.kill(parseInt(await readFile(join(data, 'postmaster.pid'), 'utf8'), 10), 'SIGKILL')
      restarting = restart()
    },
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await restarting
      await run('pg_ctl', '-D', data, '-m', 'immediate', 'stop').catch(() => {})
      await remove()
    },
  }
}
