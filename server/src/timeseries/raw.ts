/**
 * Stored samples in time order, page by page. No page keeps a transaction open, so that a slow reader holds nothing but
 * its socket.
 */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { DAY_MS, type SampleTable } from './partition-names.ts'
import { type Point, pointOf, type PointRow } from './point.ts'
import { type Selection, selectSamples, timestamp } from './selection.ts'

const PAGE_SIZE = 5000
const WINDOW_GROWTH = 4

/** The place of a sample in the order: samples of one moment by message, then numbers first. */
interface Place {
  time: number
  messageId: string
  table: SampleTable
}
type Sample = Point & Place

/**
 * Goes through the span in windows: one day, and longer ones where little was found. Planning a query costs time for
 * every partition it may touch, and a page of a busy series needs only the first of them.
 */
export async function* samplePages(db: Kysely<Tables>, selection: Selection): AsyncGenerator<Point[]> {
  let { from } = selection
  let windowMs = DAY_MS
  let after: Place | undefined
  while (from < selection.to) {
    const to = Math.min(from + windowMs, selection.to)
    const page = await readPage(db, { ...selection, from, to }, after)
    if (page.length > 0) yield page
    after = page.length === PAGE_SIZE ? page.at(-1) : undefined
    from = after?.time ?? to
    windowMs = after ? DAY_MS : windowMs * WINDOW_GROWTH
  }
}

async function readPage(db: Kysely<Tables>, selection: Selection, after: Place | undefined): Promise<Sample[]> {
  const { rows } = await sql<PointRow & { message_id: string; table: SampleTable }>`
    select * from (${firstOf(selection, 'samples', after)} union all ${firstOf(selection, 'samples_other', after)}) page
    order by ms, message_id, "table" limit ${PAGE_SIZE}`.execute(db)
  return rows.map((row) => ({ ...pointOf(row), messageId: row.message_id, table: row.table }))
}

function firstOf(selection: Selection, table: SampleTable, after: Place | undefined) {
  const columns = sql`date_part('epoch', time) * 1000 as ms, message_id, value::text as json, ${table}::text as "table"`
  return sql`(${selectSamples(selection, table, columns)} ${after ? sql`and ${isBehind(after, table)}` : sql``}
    order by time, message_id limit ${PAGE_SIZE})`
}

function isBehind(after: Place, table: SampleTable) {
  const operator = sql.raw(table > after.table ? '>=' : '>')
  return sql`(time, message_id) ${operator} (${timestamp(after.time)}, ${after.messageId}::bigint)`
}
