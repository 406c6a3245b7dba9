/** The installation of one case: an embedded PostgreSQL with its usual settings, a server and an administrator. */
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanUp } from '@gangway/server/dist/database/clean-up.js'
import { connectionUrl } from '@gangway/server/dist/database/embedded/connection.js'
import { startEmbeddedDatabase } from '@gangway/server/dist/database/embedded/start.js'
import { createKysely, createPool } from '@gangway/server/dist/database/pool.js'
import type { Tables } from '@gangway/server/dist/database/tables.js'
import { createSealer, type Sealer } from '@gangway/server/dist/lib/seal.js'
import type { Kysely } from 'kysely'
import type { Pool } from 'pg'
import { pino } from 'pino'
import type { Bench } from '../bench-case.ts'
import { type Api, logIn } from './api.ts'
import { type Server, startServer } from './server.ts'

export interface Platform extends AsyncDisposable {
  databaseUrl: string
  /** The process that all processes of PostgreSQL are children of. */
  databasePid: number
  pool: Pool
  db: Kysely<Tables>
  sealer: Sealer
  /** The present server process. */
  server(): Server
  api(): Api
  restartServer(): Promise<void>
}

export async function startPlatform({ profileDir }: Pick<Bench, 'profileDir'>): Promise<Platform> {
  await using started = cleanUp()
  const log = pino({ level: 'fatal' }, pino.destination(2))
  const { databaseUrl, databasePid, dataDir } = started.use(await startDatabase(log))
  const pool = createPool({ connectionString: databaseUrl }, log, { max: 8, application_name: 'bench' })
  started.use({ [Symbol.asyncDispose]: () => pool.end() })

  const secretKey = randomBytes(32)
  const adminPassword = randomBytes(12).toString('hex')
  const start = () => startServer({ dataDir, databaseUrl, secretKey, adminPassword, profileDir })
  let server = await start()
  started.use({ [Symbol.asyncDispose]: () => server.stop() })
  let api = await logIn(server.endpoints.http, adminPassword)
  return {
    databaseUrl,
    databasePid,
    pool,
    db: createKysely(pool),
    sealer: createSealer([secretKey]),
    server: () => server,
    api: () => api,
    async restartServer() {
      await server.stop()
      server = await start()
      api = await logIn(server.endpoints.http, adminPassword)
    },
    ...started.keep(),
  }
}

async function startDatabase(log: pino.Logger) {
  await using started = cleanUp()
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'gangway-bench-')))
  started.use({ [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) })
  // PostgreSQL runs as `nobody` where the bench runs as root.
  await chmod(directory, 0o711)
  const [dataDir, databaseDir] = [join(directory, 'data'), join(directory, 'database')]
  await Promise.all([mkdir(dataDir), mkdir(databaseDir)])
  const database = await startEmbeddedDatabase({ dataDir: databaseDir, log })
  started.use({
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]()
      await rm(database.directory, { recursive: true, force: true })
    },
  })
  const databaseUrl = connectionUrl(database.connection)
  return { databaseUrl, databasePid: database.pid()!, dataDir, ...started.keep() }
}
