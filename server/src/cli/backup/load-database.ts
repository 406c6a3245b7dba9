/**
 * Loads the records of a backup into an empty database at the same migration. Foreign keys are dropped meanwhile, since
 * the records have no particular order, and are added and checked at the end.
 */
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { BackupError, DamagedError } from './error.ts'
import { listTables, type Partition, schemas, type Table } from './list-tables.ts'
import type { IncomingRecord, Json } from './records.ts'

export interface Loader {
  loadTable(record: IncomingRecord): Promise<void>
  setSequence(header: Json): Promise<void>
  finish(): Promise<void>
}

export async function startLoading(client: pg.ClientBase): Promise<Loader> {
  const tables = (await listTables(client)).map(({ name }) => name)
  const references = await listReferences(client)
  for (const { table, name } of references) await client.query(`alter table ${table} drop constraint ${name}`)
  for (const table of tables) await client.query(`alter table ${table} disable trigger user`)
  // Migrations have inserted rows.
  await client.query(`truncate ${tables.join(', ')} restart identity`)
  return {
    loadTable: (record) =>
      loadTable(client, record).catch((error: Error) => {
        if (error instanceof BackupError) throw error
        throw new BackupError(`${record.header.name} cannot be restored: ${error.message}`, { cause: error })
      }),
    setSequence: async ({ name, value }) => {
      await client.query('select setval($1::text::regclass, $2::bigint)', [requireName(name), value])
    },
    finish: async () => {
      for (const { table, name, definition } of references)
        await client.query(`alter table ${table} add constraint ${name} ${definition}`)
      for (const table of tables) await client.query(`alter table ${table} enable trigger user`)
      await client.query('analyze')
    },
  }
}

async function listReferences(client: pg.ClientBase) {
  const { rows } = await client.query<{ table: string; name: string; definition: string }>(
    `select format('%I.%I', n.nspname, c.relname) as table, quote_ident(o.conname) as name,
       pg_get_constraintdef(o.oid) as definition
     from pg_constraint o join pg_class c on c.oid = o.conrelid join pg_namespace n on n.oid = c.relnamespace
     where o.contype = 'f' and o.conparentid = 0 and n.nspname = any ($1) order by 1, 2`,
    [schemas],
  )
  return rows
}

async function loadTable(client: pg.ClientBase, record: IncomingRecord) {
  const { name, columns, isPartitioned, partition } = record.header as unknown as Table
  requireName(name)
  if (partition) await createPartition(client, name, partition)
  // A partition is attached after its rows are loaded, so that its indexes are built in one go.
  if (partition && isPartitioned) await attach(client, name, partition)
  if (isPartitioned) return
  const stream = client.query(copyFrom(`copy ${name} (${columns.map(requireColumn).join(', ')}) from stdin`))
  await pipeline(record.data, stream)
  if (stream.rowCount !== record.end.rows)
    throw new BackupError(
      `${name} has ${record.end.rows} rows in the backup, and ${stream.rowCount} were read.`,
    )
  if (partition) await attach(client, name, partition)
}

async function createPartition(client: pg.ClientBase, name: string, { parent, key }: Partition) {
  const partitioned = key === null ? '' : ` partition by ${requireOneStatement(key)}`
  await client.query(`create table ${name} (like ${requireName(parent)})${partitioned}`)
}

async function attach(client: pg.ClientBase, name: string, { parent, bound, indexes }: Partition) {
  for (const index of indexes) await client.query(requireOneStatement(index))
  await client.query(
    `alter table ${requireName(parent)} attach partition ${name} ${requireOneStatement(bound)}`,
  )
}

const identifier = '(?:[a-z_][a-z0-9_]*|"[^"]+")'
const columnPattern = new RegExp(`^${identifier}$`)
const namePattern = new RegExp(`^(?:${schemas.join('|')})\\.${identifier}$`)

const requireName = (name: unknown) => requireMatch(name, namePattern)
const requireColumn = (name: unknown) => requireMatch(name, columnPattern)
const requireOneStatement = (text: unknown) => requireMatch(text, /^[^;]+$/)

/** Checks text of the backup before it becomes part of a statement. */
function requireMatch(text: unknown, pattern: RegExp): string {
  if (typeof text !== 'string' || !pattern.test(text)) throw new DamagedError()
  return text
}
