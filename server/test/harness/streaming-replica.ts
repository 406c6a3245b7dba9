/**
 * A PostgreSQL of this machine with a streaming replica, each a process of its own:
 *
 *     const skip = skipWithoutReplica('the read replica')
 *     await using servers = await startReplicated()
 *     await servers.stopReplica()
 */
import { execFileSync } from 'node:child_process'
import { chownSync, closeSync, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { execute } from './test-server.ts'
import { temporaryDirectory } from './temporary-directory.ts'

export interface Replicated extends AsyncDisposable {
  /** The user of this URL owns the database and is no superuser. */
  url: string
  replicaUrl: string
  /** The same as superuser. */
  asSuperuser(sql: string, where: 'primary' | 'replica'): ReturnType<typeof execute>
  stopReplica(): void
  startReplica(): void
  promoteReplica(): void
}

const needed = ['initdb', 'pg_ctl', 'pg_basebackup']

export function findPrograms(): string | undefined {
  const debian = '/usr/lib/postgresql'
  const folders = readFolder(debian).map((version) => join(debian, version, 'bin'))
  return folders.findLast((folder) => needed.every((program) => readFolder(folder).includes(program)))
}

function readFolder(path: string): string[] {
  try {
    return readdirSync(path).toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  } catch {
    return []
  }
}

/** Prints the reason if the programs are missing. */
export function skipWithoutReplica(subject: string): boolean {
  const isMissing = findPrograms() === undefined
  if (isMissing)
    console.log(`Skipped: ${subject} (needs the Debian package postgresql, with ${needed.join(', ')})`)
  return isMissing
}

const ports = { primary: 5432, replica: 5433 }

export async function startReplicated(): Promise<Replicated> {
  const programs = findPrograms()!
  const directory = await temporaryDirectory()
  const home = directory.path
  const account = ordinaryAccount()
  if (account) chownSync(home, account.uid, account.gid)
  // A file, since a server that pg_ctl leaves behind would keep a pipe open.
  const log = openSync(join(home, 'programs.log'), 'a')
  const run = (program: string, ...args: string[]) =>
    execFileSync(join(programs, program), args, { ...account, cwd: home, stdio: ['ignore', log, log] })
  const control = (name: keyof typeof ports, ...command: string[]) =>
    run('pg_ctl', '-D', join(home, name), '-w', ...command)
  const start = (name: keyof typeof ports) => {
    const settings = { port: ports[name], listen_addresses: '', unix_socket_directories: home, fsync: 'off' }
    const options = Object.entries(settings).map(([key, value]) => `-c ${key}='${value}'`)
    control(name, '-l', join(home, `${name}.log`), '-o', options.join(' '), 'start')
  }
  const urlOf = (user: string, name: keyof typeof ports, database: string) =>
    `postgresql://${user}@localhost:${ports[name]}/${database}?host=${encodeURIComponent(home)}`

  run('initdb', '-D', join(home, 'primary'), '-U', 'admin', '-A', 'trust', '--no-sync')
  start('primary')
  const asSuperuser: Replicated['asSuperuser'] = (sql, where) =>
    execute(urlOf('admin', where, 'postgres'), sql)
  await asSuperuser('create role gangway login', 'primary')
  await asSuperuser(`create database gangway owner gangway encoding 'UTF8' template template0`, 'primary')
  run(
    'pg_basebackup',
    '-c',
    'fast',
    '-D',
    join(home, 'replica'),
    '-R',
    '-d',
    urlOf('admin', 'primary', 'postgres'),
  )
  start('replica')
  return {
    url: urlOf('gangway', 'primary', 'gangway'),
    replicaUrl: urlOf('gangway', 'replica', 'gangway'),
    asSuperuser,
    stopReplica: () => control('replica', '-m', 'immediate', 'stop'),
    startReplica: () => start('replica'),
    promoteReplica: () => control('replica', 'promote'),
    [Symbol.asyncDispose]: async () => {
      for (const name of ['replica', 'primary'] as const)
        try {
          control(name, '-m', 'immediate', 'stop')
        } catch {
          // The test has stopped it.
        }
      closeSync(log)
      await directory[Symbol.asyncDispose]()
    },
  }
}

/** PostgreSQL refuses to run as root. */
export function ordinaryAccount() {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}
