/** Starts the embedded PostgreSQL, so that a first start needs no other database. The caller holds the lock on the directory. */
import { realpath } from 'node:fs/promises'
import type { Logger } from 'pino'
import { Client } from 'pg'
import type { Sealer } from '../../lib/seal.ts'
import { cleanUp } from '../clean-up.ts'
import { secretKeyFile } from '../../lib/secret-key.ts'
import { lockDirectory } from '../directory-lock.ts'
import { prepareCluster, superuser } from './cluster.ts'
import type { Connection } from './connection.ts'
import { stopOrphan } from './orphan.ts'
import {
  requirePassword,
  findPassword,
  writePassword,
  makePassword,
  passwordFile,
  setPassword,
} from './password.ts'
import { choosePlace } from './place.ts'
import { launchPostmaster } from './postmaster.ts'
import { findPrograms } from './programs.ts'
import type { ProgramsPackage } from './programs.ts'
import type { Settings } from './settings.ts'
import { defaultSettings, settingArguments } from './settings.ts'
import { port, chooseSocketDirectory } from './socket-directory.ts'
import { supervise } from './supervise.ts'

export interface EmbeddedDatabase extends AsyncDisposable {
  connection: Connection
  /** A connection as superuser. */
  superuser: Connection
  /** Directory of the cluster; differs from the data directory if PostgreSQL cannot enter that. */
  directory: string
  /** Process id of the postmaster; undefined while it is being restarted. */
  pid(): number | undefined
  isPasswordKept: boolean
  /** Stores the password for the next start. @param sealers the password is stored once for each of them */
  keepPassword(...sealers: Sealer[]): Promise<void>
}

export interface EmbeddedOptions {
  dataDir: string
  log: Logger
  /** Opens the stored password; without a sealer each start sets a new one. */
  sealer?: Sealer | undefined
  /** Creates a cluster even if there are files of an earlier one. */
  newDatabase?: boolean
  settings?: Settings
  /** For tests: locations that differ between machines. */
  fallbackRoot?: string
  programs?: ProgramsPackage
}

/** @throws EmbeddedDatabaseError with advice if PostgreSQL cannot run here */
export async function startEmbeddedDatabase(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { log } = options
  const settings = { ...defaultSettings, ...options.settings }
  await using started = cleanUp()

  const dataDir = await realpath(options.dataDir)
  const place = await choosePlace(dataDir, log, options.fallbackRoot)
  // A copy of the data directory refers to the same cluster directory, so that one is locked too.
  if (place.directory !== dataDir) started.use(await lockDirectory(place.directory))

  const programs = await findPrograms(place, log, options.programs)
  const sync = settings.fsync !== 'off'
  const traces = options.newDatabase ? [] : [secretKeyFile(dataDir), passwordFile(place)]
  const isNew = await prepareCluster(place, { programs, sync, traces, log })
  const kept = isNew ? undefined : await findPassword(place, options.sealer)
  const password = kept ?? makePassword()
  if (!kept) {
    await stopOrphan(place.cluster, log)
    await setPassword(place, programs, password, settings)
  }
  await requirePassword(place)
  const socket = started.use(await chooseSocketDirectory(place))
  const args = ['-D', place.cluster, '-k', quotePath(socket.path), ...settingArguments(settings)]
  const postmaster = started.use(
    await supervise(async () => {
      await stopOrphan(place.cluster, log)
      return launchPostmaster(programs.postgres, args, place.account, log)
    }, log),
  )
  const connection = { host: socket.path, port, user: 'gangway', password, database: 'gangway' }
  const asSuperuser = { ...connection, user: superuser, database: 'postgres' }
  await makeDatabase(asSuperuser, kept === undefined)

  return {
    connection,
    superuser: asSuperuser,
    directory: place.directory,
    pid: () => postmaster.pid(),
    isPasswordKept: kept !== undefined,
    keepPassword: (...sealers) => writePassword(place, password, sealers),
    ...started.keep(),
  }
}

/** The server uses an ordinary role, so that an injected statement cannot reach files or programs. */
async function makeDatabase(connection: Connection, isNewPassword: boolean) {
  const client = new Client(connection)
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query(
      `select exists (select from pg_roles where rolname = 'gangway') as role,
              exists (select from pg_database where datname = 'gangway') as database`,
    )
    if (!rows[0].role) await client.query('create role gangway login')
    if (isNewPassword)
      await client.query(`alter role gangway password ${client.escapeLiteral(connection.password)}`)
    if (!rows[0].database) await client.query('create database gangway owner gangway')
  } finally {
    await client.end()
  }
}

/** The setting is a list; quotes protect commas and blanks in a path. */
const quotePath = (path: string) => `"${path.replaceAll('"', '""')}"`
