/**
 * Stored samples in time order, page by page. No page keeps a transaction open, so that a slow reader holds nothing but
 * its socket.
 */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { DAY_MS, type SampleTable } from './partition-names.ts'
import { fetchPage, type Point, pointOf, type PointRow } from './point.ts'
import { type Selection, selectSamples, timestamp } from './selection.ts'

const PAGE_SIZE = 5000
const WINDOW_GROWTH = 4
/** A window is not made longer than what is searched in this time: a statement has a few seconds. */
const QUICK_MS = 500

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
    const startMs = performance.now()
    const { samples, hasMore } = await readPage(db, { ...selection, from, to }, after)
    const isQuick = performance.now() - startMs < QUICK_MS
    if (samples.length > 0) yield samples
    after = hasMore ? samples.at(-1) : undefined
    from = after?.time ?? to
    if (after) windowMs = DAY_MS
    else if (isQuick) windowMs *= WINDOW_GROWTH
  }
}

async function readPage(db: Kysely<Tables>, selection: Selection, after: Place | undefined) {
  const candidates = sql`
    select * from (${firstOf(selection, 'samples', after)} union all ${firstOf(selection, 'samples_other', after)}) sample
    order by ${order} limit ${PAGE_SIZE}`
  const { rows, isCut } = await fetchPage<PointRow & { message_id: string; table: SampleTable }>(db, {
    candidates,
    order,
  })
  // Written out, and not spread: this is done for every sample.
  const samples = rows.map((row): Sample => {
    const { time, json } = pointOf(row)
    return { time, json, messageId: row.message_id, table: row.table }
  })
  return { samples, hasMore: isCut || samples.length === PAGE_SIZE }
}

const order = sql`ms, message_id, "table"`

function firstOf(selection: Selection, table: SampleTable, after: Place | undefined) {
  const value = table === 'samples' ? sql`value as number, null::jsonb as other` : sql`null::float8, value`
  const columns = sql`date_part('epoch', time) * 1000 as ms, message_id, ${table}::text as "table", ${value}`
  return sql`(${selectSamples(selection, table, columns)} ${after ? sql`and ${isBehind(after, table)}` : sql``}
    order by time, message_id limit ${PAGE_SIZE})`
}

function isBehind(after: Place, table: SampleTable) {
  const operator = sql.raw(table > after.table ? '>=' : '>')
  return sql`(time, message_id) ${operator} (${timestamp(after.time)}, ${after.messageId}::bigint)`
}
