/** Applies an operation both to the database and to the list in memory. */
import type { Pool } from 'pg'
import { orderRows } from '../../../src/timeseries/storage/append.ts'
import { deleteSamples } from '../../../src/timeseries/storage/delete-samples.ts'
import { deleteExpiredFormerSamples } from '../../../src/timeseries/storage/former/delete-former.ts'
import { findFormerRows } from '../../../src/timeseries/storage/former/find-former.ts'
import { moveFormerSamples } from '../../../src/timeseries/storage/former/move-former.ts'
import { mergeRows } from '../../../src/timeseries/storage/merge-rows.ts'
import { cutExpiredPieces } from '../../../src/timeseries/storage/packed/cut-expired.ts'
import { deleteExpiredPacked } from '../../../src/timeseries/storage/packed/delete-packed.ts'
import { dropPackedValues } from '../../../src/timeseries/storage/packed/drop-packed-values.ts'
import { packSamples } from '../../../src/timeseries/storage/packed/pack-samples.ts'
import { dropExpiredPartitions } from '../../../src/timeseries/storage/partitions.ts'
import { createRowTables, ensurePartitions } from '../../../src/timeseries/storage/row-tables.ts'
import type { TestDatabase } from '../database.ts'
import { storeFormerSamples } from '../former-samples.ts'
import { Killed, killAfter } from '../kill-after.ts'
import { testLog as log } from '../log.ts'
import { prepareSamples, storeRows, type TestSample } from '../telemetry.ts'
import type { History, Message, Operation } from './operations.ts'
import { keyOf, removeRepeats, type StoredList } from './stored-list.ts'

const DAY_MS = 86_400_000
/** Later than all days that are packed, whatever the date of today. */
export const packedAtMs = Math.max(Date.now(), Date.UTC(2027, 0))

export interface HistoryWorld {
  database: TestDatabase
  tenantNumber: number
  base: number
  stored: StoredList
  /** Messages that an earlier version stored, by key. */
  former: StoredList
}

export async function storeFormer(world: HistoryWorld, { former }: History): Promise<void> {
  const samples = removeRepeats(former).flatMap((message) => {
    world.stored.set(keyOf(message), message)
    world.former.set(keyOf(message), message)
    const key = { ownerType: 'client' as const, ownerId: message.owner, componentId: '' }
    return listSamples(message).map((sample) => ({ ...sample, ...key }))
  })
  await storeFormerSamples(world.database, world.tenantNumber, samples)
}

const listSamples = ({ type, time, messageId, values }: Message) =>
  Object.entries(values).map(([name, value]) => ({ type, time, messageId, name, value }))

export async function applyOperation(world: HistoryWorld, operation: Operation): Promise<void> {
  switch (operation.kind) {
    case 'store':
      return storeMessages(world, operation.messages)
    case 'import':
      for (const message of operation.messages) await importMessage(world, message)
      return
    case 'run':
      return storeMessages(world, listRun(operation.run))
    case 'pack':
      return pack(world, operation)
    case 'move':
      return move(world, operation)
    case 'deleteOwner':
      return deleteOwner(world, operation.owner)
    case 'expire':
      return expire(world, operation)
  }
}

type Kind<K extends Operation['kind']> = Extract<Operation, { kind: K }>

const listRun = ({ owner, from, everyMs, count }: Kind<'run'>['run']): Message[] =>
  Array.from({ length: count }, (_, index) => ({
    owner,
    type: 'telemetry',
    time: from + index * everyMs,
    messageId: 5n,
    values: { run: Math.round(1000 * Math.sin(index / 50)) / 10 },
  }))

/** Of a repeat, nothing is stored. */
export async function storeMessages(world: HistoryWorld, messages: Message[]): Promise<void> {
  const first = removeRepeats(messages).map((message) => repeatFormer(world, message))
  for (const message of first)
    if (!world.stored.has(keyOf(message))) world.stored.set(keyOf(message), message)
  for (const owner of new Set(first.map((message) => message.owner)))
    await storeUnlessFormer(
      world,
      owner,
      first.filter((message) => message.owner === owner).flatMap(listSamples),
    )
}

/** A repeat has the values that an earlier version stored; what is imported again may have more. */
const repeatFormer = ({ former }: HistoryWorld, message: Message): Message =>
  former.get(keyOf(message)) ?? message

async function storeUnlessFormer({ database, ...world }: HistoryWorld, owner: string, samples: TestSample[]) {
  const all = await prepareSamples(
    database,
    { tenantNumber: world.tenantNumber, ownerType: 'client', ownerId: owner },
    samples,
  )
  const former = await findFormerRows(database.db, all, () => 0)
  const rows = all.filter((row) => !former.has(row))
  const stored = await storeRows(database, rows)
  return { rows, stored }
}

/** As for a file that is imported again after new bindings: a stored message gets the values that it has not. */
async function importMessage(world: HistoryWorld, message: Message): Promise<void> {
  const known = repeatFormer(world, message)
  const values = { ...known.values, ...message.values, ...known.values }
  const imported = known === message ? message : { ...message, values }
  const { rows, stored } = await storeUnlessFormer(world, message.owner, listSamples(imported))
  // Until it is moved, nothing is added to it.
  if (rows.length === 0) return
  const before = world.stored.get(keyOf(message))
  world.stored.set(keyOf(message), { ...imported, values: { ...imported.values, ...before?.values } })
  const repeated = rows.filter((row) => !stored.has(row))
  const tables = createRowTables()
  const { pool, db } = world.database
  await ensurePartitions(pool, tables, repeated)
  await db.transaction().execute(async (tx) => {
    await mergeRows(tx, tables, await dropPackedValues(tx, orderRows(repeated)))
  })
}

async function pack({ database }: HistoryWorld, { limits, statements }: Kind<'pack'>): Promise<void> {
  const ctx = { pool: database.pool, db: killAfter(database.db, statements), log }
  await packSamples(ctx, { limits, nowMs: packedAtMs }).catch(ignoreKilled)
}

async function move({ database }: HistoryWorld, { limits, statements }: Kind<'move'>): Promise<void> {
  const db = killAfter(database.db, statements)
  const ctx = { pool: database.pool, db, log, rowTables: createRowTables() }
  await moveFormerSamples(ctx, { limits }).catch(ignoreKilled)
}

function ignoreKilled(error: unknown): void {
  if (!(error instanceof Killed)) throw error
}

export async function deleteOwner(
  { database: { pool }, tenantNumber, stored, former }: HistoryWorld,
  owner: string,
): Promise<void> {
  for (const list of [stored, former])
    for (const [key, message] of list) if (message.owner === owner) list.delete(key)
  const deleted = await deleteSeries(pool, [tenantNumber, owner])
  await deleteSamples(pool, { tenantNumber, ...deleted })
}

/** As for an asset: the series first, and their samples later. */
async function deleteSeries(pool: Pool, owner: [tenantNumber: number, ownerId: string]) {
  const client = await pool.connect()
  const list = async (statement: string) => {
    const { rows } = await client.query<{ number: number }>(
      `${statement} where tenant_number = $1 and owner_id = $2`,
      owner,
    )
    return rows.map(({ number }) => number)
  }
  const listNumbers = (table: string) => list(`select number from ${table}`)
  try {
    await client.query('begin')
    await client.query('select from streams where tenant_number = $1 and owner_id = $2 for update', owner)
    const deleted = {
      seriesNumbers: await listNumbers('series'),
      streamNumbers: await listNumbers('streams'),
    }
    await list('delete from series')
    await list('delete from streams')
    await client.query('commit')
    return deleted
  } finally {
    client.release()
  }
}

async function expire(world: HistoryWorld, { days, statements }: Kind<'expire'>): Promise<void> {
  const { pool, db } = world.database
  const before = world.base + days * DAY_MS
  for (const list of [world.stored, world.former])
    for (const [key, { time }] of list) if (time < before) list.delete(key)
  const setRetention = (retention: number | null) =>
    pool.query('update tenants set telemetry_retention_days = $2 where number = $1', [
      world.tenantNumber,
      retention,
    ])
  await setRetention(1)
  const nowMs = before + DAY_MS
  await dropExpiredPartitions(pool, log, nowMs)
  await deleteExpiredPacked(pool, nowMs)
  await deleteExpiredFormerSamples(pool, nowMs)
  await cutExpiredPieces({ pool, db: killAfter(db, statements) }, { nowMs }).catch(ignoreKilled)
  await cutExpiredPieces({ pool, db }, { nowMs })
  await setRetention(null)
}
