/**
 * Seals all secrets with a new key in one transaction, while no server is running. Sealed columns are found by their
 * names (`…_sealed`), so that none is forgotten.
 *
 * The key file first contains both keys, and only the new one after the database was changed: after a crash in between
 * the file still opens everything. If GANGWAY_SECRET_KEY is set, the new key comes from GANGWAY_NEW_SECRET_KEY, and the
 * operator replaces the variable afterwards.
 */
import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { Logger } from 'pino'
import { type Config, readConfig } from '../config.ts'
import { createLog } from '../lib/log.ts'
import { checkSecretKeys } from '../database/check-secret-keys.ts'
import { cleanUp } from '../database/clean-up.ts'
import type { EmbeddedDatabase } from '../database/embedded/start.ts'
import { openDatabase } from '../database/open.ts'
import { createPool } from '../database/pool.ts'
import { lockExclusively } from '../nodes/server-lock.ts'
import { refuseUnfinishedRestore } from '../database/unfinished-restore.ts'
import { createSealer, sealedPlace, type Sealer } from '../lib/seal.ts'
import { findSecretKeys, keyFileText, SecretKeyError, secretKeyFile } from '../lib/secret-key.ts'
import { replaceSynced } from '../lib/write-synced.ts'

interface SealedColumn {
  table: string
  column: string
  primaryKey: string[]
}

const BATCH = 1000

/** @returns the number of resealed values */
export async function resealAll(pool: pg.Pool, from: Sealer, to: Sealer): Promise<number> {
  const client = await pool.connect()
  let count = 0
  try {
    await client.query('begin')
    for (const column of await listSealedColumns(client))
      count += await resealColumn(client, column, from, to)
    await client.query('commit')
    return count
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

async function listSealedColumns(client: pg.PoolClient): Promise<SealedColumn[]> {
  const { rows } = await client.query(`
    select c.relname as table, a.attname as column,
      array_agg(key.attname::text order by array_position(i.indkey::int2[], key.attnum)) as "primaryKey"
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
    join pg_index i on i.indrelid = c.oid and i.indisprimary
    join pg_attribute key on key.attrelid = c.oid and key.attnum = any (i.indkey)
    where a.attname like '%\\_sealed' and not a.attisdropped
    group by c.relname, a.attname order by 1, 2`)
  return rows
}

async function resealColumn(
  client: pg.PoolClient,
  { table, column, primaryKey }: SealedColumn,
  from: Sealer,
  to: Sealer,
) {
  const keys = primaryKey.map((name) => `${name}::text`).join(', ')
  const where = primaryKey.map((name, index) => `t.${name}::text = k.key${index}`).join(' and ')
  await client.query(
    `declare sealed cursor for select ${column} as value, array[${keys}] as key from ${table} where ${column} is not null`,
  )
  let count = 0
  for (;;) {
    const { rows } = await client.query<{ value: Buffer; key: string[] }>(`fetch ${BATCH} from sealed`)
    if (rows.length === 0) break
    const values = rows.map(({ value, key }) => {
      const place = sealedPlace(table, column, ...key)
      return to.seal(from.open(value, place), place)
    })
    const names = primaryKey.map((_name, index) => `key${index}`)
    const unnest = ['$1::bytea[]', ...names.map((_name, index) => `$${index + 2}::text[]`)].join(', ')
    await client.query(
      `update ${table} t set ${column} = k.value from unnest(${unnest}) as k (value, ${names.join(', ')}) where ${where}`,
      [values, ...names.map((_name, index) => rows.map((row) => row.key[index]))],
    )
    count += rows.length
  }
  await client.query('close sealed')
  return count
}

/** The keys and their database, locked against servers. */
interface Installation extends AsyncDisposable {
  pool: pg.Pool
  keys: Buffer[]
  /** Its password is sealed too. */
  embedded?: EmbeddedDatabase | undefined
}

async function rotate(config: Config) {
  const log = await createLog('warn')
  if (config.secretKey && !config.newSecretKey)
    throw new Error('GANGWAY_SECRET_KEY is set, so set GANGWAY_NEW_SECRET_KEY too (32 bytes, base64).')
  const newKey = config.newSecretKey ?? randomBytes(32)
  await using installation = await openExclusively(config, log)
  const { pool, keys, embedded } = installation
  const [from, to] = [createSealer(keys), createSealer([newKey])]
  const path = secretKeyFile(config.dataDir)
  if (!config.secretKey) await replaceSynced(path, keyFileText([newKey, ...keys]))
  await embedded?.keepPassword(to, from)
  const count = await resealAll(pool, from, to)
  await embedded?.keepPassword(to)
  if (!config.secretKey) await replaceSynced(path, keyFileText([newKey]))
  console.log(`${count} secrets are sealed with the new key.`)
  console.log(
    config.secretKey
      ? 'Now start the server with GANGWAY_SECRET_KEY set to the new key.'
      : `The key is in ${path}.`,
  )
}

/** For the embedded database the lock on the data directory already prevents servers from starting. */
async function openExclusively(config: Config, log: Logger): Promise<Installation> {
  if (!config.databaseUrl) return openDatabase({ ...config, log })
  await using started = cleanUp()
  const pool = createPool({ connectionString: config.databaseUrl }, log)
  started.use({ [Symbol.asyncDispose]: () => pool.end() })
  started.use(await lockExclusively(pool))
  await refuseUnfinishedRestore(pool)
  const keys = await findSecretKeys(config)
  const file = config.secretKey ? undefined : secretKeyFile(config.dataDir)
  await checkSecretKeys(pool, { keys, file, newDatabase: false })
  if (!keys) throw new SecretKeyError('There is no secret key, and no secret is sealed.')
  return { pool, keys, ...started.keep() }
}

export const runRotation = (): Promise<void> =>
  rotate(readConfig(process.env)).catch((error: Error) => {
    console.error(error.message)
    process.exitCode = 1
  })
