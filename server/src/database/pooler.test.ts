/** A PgBouncer between server and database is recognized, whatever it lets through. [docs/cluster#connection-poolers] */
import { execFileSync, spawnSync } from 'node:child_process'
import { chownSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { emptyDatabase } from '../../test/harness/database.ts'
import { testLog } from '../../test/harness/log.ts'
import { runProgram } from '../../test/harness/running-program.ts'
import { findFreePort } from '../../test/harness/free-port.ts'
import { temporaryDirectory } from '../../test/harness/temporary-directory.ts'
import { execute } from '../../test/harness/test-server.ts'
import { createPool } from './pool.ts'
import { waitUntilAnswers } from './wait-until-answers.ts'

const isMissing = spawnSync('pgbouncer', ['--version']).error !== undefined
if (isMissing) console.log('Skipped: a connection pooler is recognized (pgbouncer is not installed)')

const parameters = ['options', 'statement_timeout', 'idle_in_transaction_session_timeout']

async function startPooler(databaseUrl: string, settings: Record<string, string>) {
  const directory = await temporaryDirectory()
  const { username, password, hostname, port, pathname, searchParams } = new URL(databaseUrl)
  const target = {
    host: searchParams.get('host') ?? hostname,
    port: port || '5432',
    user: decodeURIComponent(username),
    ...(password && { password: decodeURIComponent(password) }),
    dbname: pathname.slice(1),
  }
  const ownPort = await findFreePort()
  const file = join(directory.path, 'pgbouncer.ini')
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: `${ownPort}`,
    unix_socket_dir: '',
    auth_type: 'any',
    ...settings,
  }
  await writeFile(file, `[databases]\nbehind = ${lines(target, ' ')}\n[pgbouncer]\n${lines(all, '\n')}\n`)
  const account = ordinaryAccount()
  if (account) chownSync(directory.path, account.uid, account.gid)
  const running = runProgram(['pgbouncer', file], { cwd: directory.path, ...(account && { account }) })
  return {
    url: `postgresql://anybody@127.0.0.1:${ownPort}/behind`,
    running,
    [Symbol.asyncDispose]: async () => {
      await running[Symbol.asyncDispose]()
      await directory[Symbol.asyncDispose]()
    },
  }
}

const lines = (values: Record<string, string>, separator: string) =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join(separator)

/** PgBouncer refuses to run as root. */
function ordinaryAccount() {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

test.skipIf(isMissing).each([
  { lets: 'refuses the parameters of a session', mode: 'transaction', ignored: '' },
  { lets: 'ignores them, in transaction mode', mode: 'transaction', ignored: parameters.join() },
  { lets: 'ignores them, in session mode', mode: 'session', ignored: parameters.join() },
])('a pooler that $lets is named as the reason of a start that fails', async ({ mode, ignored }) => {
  await using database = await emptyDatabase()
  await using pooler = await startPooler(database.url, {
    pool_mode: mode,
    ignore_startup_parameters: ignored || 'application_name',
  })
  await vi.waitUntil(() =>
    execute(pooler.url, 'select 1').then(
      () => true,
      () => false,
    ),
  )
  const pool = createPool({ connectionString: pooler.url }, testLog)
  try {
    await expect(waitUntilAnswers(pool, testLog)).rejects.toThrow('leads to a connection pooler')
  } finally {
    await pool.end()
  }
})
