/**
 * Upgrades a database of every older version: after each migration its new tables get a row, and all later migrations run
 * on these rows. Some of these databases are backed up and restored by this version.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { expect, test } from 'vitest'
import { emptyDatabase, testDatabase } from '../harness/database.ts'
import { testLog as log } from '../harness/log.ts'
import { rounds } from '../harness/rounds.ts'
import { temporaryDirectory } from '../harness/temporary-directory.ts'
import { backUp } from '../../src/cli/backup/back-up.ts'
import { restore } from '../../src/cli/backup/restore.ts'
import { readConfig } from '../../src/config.ts'
import { createSealer, sealedPlace } from '../../src/lib/seal.ts'
import { describeSchema } from '../../src/database/describe-schema.ts'
import { migrate } from '../../src/database/migrate.ts'
import { readMigrations } from '../../src/database/migration-files.ts'

/** Values for columns that do not accept every value of their type. */
const special = (): Record<string, Record<string, string>> => ({
  resource_items: { document: `'{}'` },
  signing_keys: { private_jwk_sealed: `'\\x${sealedKey.toString('hex')}'` },
})

/** Number of migrations between two backups. */
const EACH = rounds(1, 15)

interface Column {
  name: string
  type: string
  /** First allowed value of a column with a list of values. */
  first: string | null
  /** A value of the column that it refers to. */
  referenced: string | null
}

const valueByType: Record<string, string> = {
  uuid: 'gen_random_uuid()',
  json: `'{}'`,
  jsonb: `'{}'`,
  'text[]': `'{}'`,
  bytea: `'\\x01'`,
  boolean: 'false',
  text: `'some text'`,
  'timestamp with time zone': 'now()',
  date: 'current_date',
  'integer[]': `'{}'`,
  'bigint[]': `'{}'`,
  'double precision[]': `'{}'`,
  'timestamp with time zone[]': `'{}'`,
}

/** Tables without partitions: `samples` has none here and gets no row. */
const listOwnTables = async (pool: Pool) => {
  const { rows } = await pool.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
     and relname <> 'schema_migrations' order by oid`,
  )
  return rows.map(({ name }) => name)
}

/** Lists the columns that an insert has to fill. */
async function listColumns(pool: Pool, table: string): Promise<Column[]> {
  const { rows } = await pool.query<Column>(
    `select a.attname as name, format_type(a.atttypid, null) as type,
       (select substring(pg_get_constraintdef(k.oid) from 'ARRAY\\[(''[^'']*'')') from pg_constraint k
        where k.conrelid = a.attrelid and k.contype = 'c' and k.conkey = array[a.attnum] limit 1) as first,
       (select format('(select %I from %s limit 1)', target.attname, k.confrelid::regclass) from pg_constraint k
        join pg_attribute target on target.attrelid = k.confrelid
          and target.attnum = k.confkey[array_position(k.conkey, a.attnum)]
        where k.conrelid = a.attrelid and k.contype = 'f' and a.attnum = any (k.conkey) limit 1) as referenced
     from pg_attribute a
     where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attnotnull
       and not a.atthasdef and a.attidentity = ''`,
    [table],
  )
  return rows
}

async function insertRow(pool: Pool, table: string) {
  const values = new Map(Object.entries(special()[table] ?? {}))
  for (const { name, type, first, referenced } of await listColumns(pool, table))
    values.set(name, values.get(name) ?? first ?? referenced ?? valueByType[type] ?? '1')
  const columns = [...values.keys()].map((name) => `"${name}"`)
  const list =
    columns.length === 0 ? 'default values' : `(${columns.join()}) values (${[...values.values()].join()})`
  await pool.query(`insert into ${table} ${list}`)
}

/** A migration may have filled its new table from older ones. */
const isEmpty = async (pool: Pool, table: string) =>
  (await pool.query(`select from ${table} limit 1`)).rowCount === 0

const key = randomBytes(32)
const sealedKey = createSealer([key]).seal(
  '{}',
  sealedPlace('signing_keys', 'private_jwk_sealed', 'some text'),
)

test(
  'each migration runs on a database of the previous version with rows; backups of older versions are restored',
  { timeout: 1_800_000 },
  async () => {
    await using database = await emptyDatabase()
    await using directory = await temporaryDirectory()
    const { pool, url } = database
    const backups: string[] = []
    const filled = new Set<string>()
    for (const { number } of await readMigrations()) {
      await migrate(pool, { log, upTo: number })
      for (const table of await listOwnTables(pool)) {
        if (!filled.has(table) && (await isEmpty(pool, table))) await insertRow(pool, table)
        filled.add(table)
      }
      if ((number - 1) % EACH > 0) continue
      backups.push(join(directory.path, `${number}.backup`))
      await backUp(makeConfig(url, directory.path), backups.at(-1)!, new AbortController().signal)
    }
    const tables = await expectCurrent(pool)
    expect(tables).toEqual([...filled].toSorted())
    expect(backups.length).toBeGreaterThan(2)
    for (const path of backups) {
      await using restored = await emptyDatabase()
      await restore(makeConfig(restored.url, directory.path), path, { replace: false })
      await expectCurrent(restored.pool)
    }
  },
)

const makeConfig = (databaseUrl: string, dataDir: string) =>
  readConfig({
    DATABASE_URL: databaseUrl,
    GANGWAY_DATA_DIR: dataDir,
    GANGWAY_SECRET_KEY: key.toString('base64'),
  })

/** @returns the tables that got a row */
async function expectCurrent(pool: Pool): Promise<string[]> {
  await using current = await testDatabase()
  expect(await describeSchema(pool)).toBe(await describeSchema(current.pool))
  const found: string[] = []
  for (const table of await listOwnTables(pool))
    if ((await pool.query(`select from ${table}`)).rowCount === 1) found.push(table)
  expect(found).toContain('tenants')
  return found.toSorted()
}
