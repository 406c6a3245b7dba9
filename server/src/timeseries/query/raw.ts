/**
 * Stored samples in time order, page by page. No transaction stays open between pages, so that a slow reader occupies
 * nothing but its socket.
 */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { findPage, type Output, type Page, pointsOfPage } from './page.ts'
import { DAY_MS, type SampleTable } from '../storage/partition-names.ts'
import { type Selection, selectSamples, timestamp } from './selection.ts'

const PAGE_SIZE = 5000
/** The largest page. Numbers reach `PAGE_SIZE` first, long strings reach this limit first. */
const PAGE_BYTES = 512 * 1024
const WINDOW_GROWTH = 4
/** Windows grow only while a search takes less than this time, since a statement may run for a few seconds at most. */
const QUICK_MS = 500

/** The position of a sample in the order: samples of the same time are ordered by message, then numbers come first. */
interface Place {
  messageId: string
  isNumber: boolean
}
type SamplePage = Page & Place

/**
 * Searches the span in windows: one day at first, and longer ones where little was found. Planning a query takes
 * time for every partition that it may touch, and a page of a busy series needs only the first of them.
 * @returns whether there are more samples than the limit
 */
export async function* samplePages(
  db: Kysely<Tables>,
  selection: Selection,
  { format, limit }: Output,
): AsyncGenerator<Page, boolean> {
  let { from } = selection
  let windowMs = DAY_MS
  let after: SamplePage | undefined
  for (let left = limit; from < selection.to;) {
    const to = Math.min(from + windowMs, selection.to)
    const size = pointsOfPage(PAGE_SIZE, left)
    const startMs = performance.now()
    const page = await findSamples(db, { selection: { ...selection, from, to }, after, size, format })
    const isQuick = performance.now() - startMs < QUICK_MS
    if (page && left === 0) return true
    if (page) yield page
    left -= page?.count ?? 0
    after = page && (page.isCut || page.count === size) ? page : undefined
    from = after?.lastMs ?? to
    if (after) windowMs = DAY_MS
    else if (isQuick) windowMs *= WINDOW_GROWTH
  }
  return false
}

interface SampleRequest extends Pick<Output, 'format'> {
  selection: Selection
  after: SamplePage | undefined
  size: number
}

function findSamples(db: Kysely<Tables>, { format, ...request }: SampleRequest) {
  return findPage<Place>(db, {
    candidates: sql`
      select * from (${selectFirst('samples', request)} union all ${selectFirst('samples_other', request)}) sample
      order by ${order} limit ${request.size}`,
    order,
    format,
    maxBytes: PAGE_BYTES,
    besides: sql`${selectLast('message_id')}::text as "messageId", ${selectLast('is_number')} as "isNumber"`,
  })
}

const order = sql`time, message_id, is_number desc`
const selectLast = (column: string) => sql`(array_agg(${sql.ref(column)} order by ${order}))[count(*)::int]`

function selectFirst(table: SampleTable, { selection, after, size }: Omit<SampleRequest, 'format'>) {
  const isNumber = table === 'samples'
  const value = isNumber ? sql`value as number, null::jsonb as other` : sql`null::float8, value`
  const columns = sql`time, message_id, ${isNumber}::boolean as is_number, ${value}`
  return sql`(${selectSamples(selection, table, columns)} ${after ? sql`and ${isBehind(after, isNumber)}` : sql``}
    order by time, message_id limit ${size})`
}

/** Each table has at most one sample with the same time and message, and the number comes first. */
function isBehind(after: SamplePage, isNumber: boolean) {
  const operator = sql.raw(after.isNumber && !isNumber ? '>=' : '>')
  return sql`(time, message_id) ${operator} (${timestamp(after.lastMs)}, ${after.messageId}::bigint)`
}
