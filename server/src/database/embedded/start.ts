/** The PostgreSQL that comes along, so that a first start needs nothing else. The caller holds the directory's lock. */
import { realpath } from 'node:fs/promises'
import type { Logger } from 'pino'
import { Client } from 'pg'
import { cleanUp } from '../clean-up.ts'
import { lockDirectory } from '../directory-lock.ts'
import { prepareCluster, superuser } from './cluster.ts'
import { stopOrphan } from './orphan.ts'
import { choosePlace } from './place.ts'
import { launchPostmaster } from './postmaster.ts'
import { findPrograms } from './programs.ts'
import type { ProgramsPackage } from './programs.ts'
import type { Settings } from './settings.ts'
import { defaultSettings, settingArguments } from './settings.ts'
import { port, socketDirectory } from './socket-directory.ts'
import { supervise } from './supervise.ts'

export interface Connection {
  /** The directory of a Unix socket. */
  host: string
  port: number
  user: string
  database: string
}

export interface EmbeddedDatabase extends AsyncDisposable {
  connection: Connection
  /** The same server as its superuser. */
  superuser: Connection
  /** Holds the files; differs from the data directory where PostgreSQL cannot enter that. */
  directory: string
  /** Process id of the postmaster, undefined while it is being restarted. */
  pid(): number | undefined
}

export interface EmbeddedOptions {
  dataDir: string
  log: Logger
  settings?: Settings
  /** For tests: where things would be on another machine. */
  fallbackRoot?: string
  programs?: ProgramsPackage
}

/** @throws EmbeddedDatabaseError with advice when it cannot run here. */
export async function startEmbeddedDatabase(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { log } = options
  const settings = { ...defaultSettings, ...options.settings }
  await using started = cleanUp()

  const dataDir = await realpath(options.dataDir)
  const place = await choosePlace(dataDir, log, options.fallbackRoot)
  // A copy of the data directory points at the same files elsewhere, and holds a lock of its own.
  if (place.directory !== dataDir) started.use(await lockDirectory(place.directory))

  const programs = await findPrograms(place, log, options.programs)
  await prepareCluster(place, programs, settings.fsync !== 'off', log)
  const socket = started.use(await socketDirectory(place))
  const args = ['-D', place.cluster, '-k', quotePath(socket.path), ...settingArguments(settings)]
  const postmaster = started.use(
    await supervise(async () => {
      await stopOrphan(place.cluster, log)
      return launchPostmaster(programs.postgres, args, place.account, log)
    }, log),
  )
  const connection = { host: socket.path, port, user: 'gangway', database: 'gangway' }
  const asSuperuser = { ...connection, user: superuser, database: 'postgres' }
  await makeDatabase(asSuperuser)

  return {
    connection,
    superuser: asSuperuser,
    directory: place.directory,
    pid: () => postmaster.pid(),
    ...started.keep(),
  }
}

/** The server works as an ordinary role: an injected statement must not reach files or programs. */
async function makeDatabase(connection: Connection) {
  const client = new Client(connection)
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query(
      `select exists (select from pg_roles where rolname = 'gangway') as role,
              exists (select from pg_database where datname = 'gangway') as database`,
    )
    if (!rows[0].role) await client.query('create role gangway login')
    if (!rows[0].database) await client.query('create database gangway owner gangway')
  } finally {
    await client.end()
  }
}

/** The setting is a list, in which quotes keep commas and blanks of one path together. */
const quotePath = (path: string) => `"${path.replaceAll('"', '""')}"`
