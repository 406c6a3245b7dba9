/** Dumps the database as of one moment while servers continue to use it. */
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { lockMigrations } from '../../database/migrate.ts'
import { BackupError } from './error.ts'
import { listTables, schemas, type Table } from './list-tables.ts'
import type { OutgoingRecord } from './records.ts'

export interface Totals {
  tables: number
  rows: number
}

/**
 * From now on the client sees a snapshot of the database. Migrations are locked out meanwhile: a table that is rewritten
 * does not keep its rows for older transactions.
 */
export async function beginSnapshot(client: pg.ClientBase): Promise<Table[]> {
  const unlock = await lockMigrations(client)
  const lasting = (await listTables(client)).filter(
    ({ isPartitioned, partition }) => isPartitioned || !partition,
  )
  await client.query('begin isolation level repeatable read read only')
  await client.query(
    `lock table ${lasting.map(({ name }) => `only ${name}`).join(', ')} in access share mode`,
  )
  const tables = await listTables(client)
  await unlock()
  return tables
}

/** @param totals counters that are updated */
export async function* dumpDatabase(
  client: pg.ClientBase,
  tables: Table[],
  totals: Totals,
): AsyncGenerator<OutgoingRecord> {
  for (const table of tables) yield dumpTable(client, table, totals)
  // Sequences are not part of the snapshot; read afterwards, they are ahead of all its rows.
  const { rows } = await client.query<{ name: string; value: string }>(
    `select format('%I.%I', schemaname, sequencename) as name, last_value as value from pg_sequences
     where schemaname = any ($1) and last_value is not null order by 1`,
    [schemas],
  )
  for (const { name, value } of rows) yield { header: { record: 'sequence', name, value } }
}

function dumpTable(client: pg.ClientBase, table: Table, totals: Totals): OutgoingRecord {
  const header = { record: 'table', ...table }
  totals.tables++
  if (table.isPartitioned) return { header }
  let rows = 0
  const readRows = async function* () {
    // Rolling back to the savepoint releases the lock on a partition, so that partitions of new days can be created.
    await client.query('savepoint before_table')
    const stream = client.query(copyTo(`copy ${table.name} (${table.columns.join(', ')}) to stdout`))
    yield* stream as AsyncIterable<Buffer>
    await client.query('rollback to savepoint before_table')
    rows = stream.rowCount
    totals.rows += rows
  }
  return { header, data: explainFailure(readRows(), table), end: () => ({ rows }) }
}

async function* explainFailure(rows: AsyncIterable<Buffer>, { name }: Table): AsyncGenerator<Buffer> {
  try {
    yield* rows
  } catch (error) {
    const { message } = error as Error
    throw new BackupError(
      `${name} cannot be read: ${message}. Perhaps the database was stopped. Try again.`,
      {
        cause: error,
      },
    )
  }
}
