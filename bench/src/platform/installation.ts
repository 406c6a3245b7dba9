/** An embedded PostgreSQL with its usual settings, and the servers that share it. */
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
import { listVariables, type Server, startServer } from './server.ts'

export interface Installation extends AsyncDisposable {
  databaseUrl: string
  /** The process that all processes of PostgreSQL are children of. */
  databasePid: number
  pool: Pool
  db: Kysely<Tables>
  sealer: Sealer
  adminPassword: string
  /**
   * Starts a server, which stops with the installation at the latest.
   * @param name of its data directory
   * @param settings variables beside those of every server
   */
  startNode(name: string, settings?: Record<string, string>): Promise<Server>
  /** The variables of a server that is started in another way. */
  makeVariables(name: string): Promise<Record<string, string>>
}

export async function startInstallation({ profileDir }: Pick<Bench, 'profileDir'>): Promise<Installation> {
  await using started = cleanUp()
  const log = pino({ level: 'fatal' }, pino.destination(2))
  const { databaseUrl, databasePid, directory } = started.use(await startDatabase(log))
  const pool = createPool({ connectionString: databaseUrl }, log, { max: 8, application_name: 'bench' })
  started.use({ [Symbol.asyncDispose]: () => pool.end() })

  const secretKey = randomBytes(32)
  const adminPassword = randomBytes(12).toString('hex')
  const nodes: Server[] = []
  started.use({
    [Symbol.asyncDispose]: async () => void (await Promise.all(nodes.map((node) => node.stop()))),
  })
  const makeOptions = async (name: string, settings: Record<string, string> = {}) => {
    const dataDir = join(directory, name)
    await mkdir(dataDir, { recursive: true })
    return { dataDir, databaseUrl, secretKey, adminPassword, settings }
  }
  return {
    databaseUrl,
    databasePid,
    pool,
    db: createKysely(pool),
    sealer: createSealer([secretKey]),
    adminPassword,
    makeVariables: async (name) => listVariables(await makeOptions(name)),
    async startNode(name, settings) {
      const node = await startServer({ ...(await makeOptions(name, settings)), profileDir })
      nodes.push(node)
      return node
    },
    ...started.keep(),
  }
}

async function startDatabase(log: pino.Logger) {
  await using started = cleanUp()
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'gangway-bench-')))
  started.use({ [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) })
  // If the bench runs as root, PostgreSQL runs as `nobody`, which needs access to the directory.
  await chmod(directory, 0o711)
  const databaseDir = join(directory, 'database')
  await mkdir(databaseDir)
  const database = await startEmbeddedDatabase({ dataDir: databaseDir, log })
  started.use({
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]()
      await rm(database.directory, { recursive: true, force: true })
    },
  })
  const databaseUrl = connectionUrl(database.connection)
  return { databaseUrl, databasePid: database.pid()!, directory, ...started.keep() }
}
