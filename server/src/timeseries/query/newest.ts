/**
 * Finds the newest sample of each of many series. The search begins in the last hour in which the series may have a row
 * (`last_hours` of its stream), which mostly has one, and otherwise goes back in steps that become longer. Of packed
 * samples it finds only the last one of each piece, which is stored beside the compressed columns. Each statement names
 * the span that it searches, so that the database reads only the partitions of that span.
 */
import { type RawBuilder, sql } from 'kysely'
import { selectFormerSamples } from '../storage/former/select-former.ts'
import { HOUR_MS } from '../storage/last-hours.ts'
import { encodeInts, encodeTimes } from '../storage/encode-arrays.ts'
import { selectPackedLast } from '../storage/packed/select-last.ts'
import { mayBePacked } from '../storage/packed/settling.ts'
import { DAY_MS } from '../storage/partition-names.ts'
import { selectRows } from './selection.ts'

/** A series, with what is needed to find its samples. */
export interface Sought {
  /** Identifies the search in the result. */
  place: number
  tenantNumber: number
  seriesNumber: number
  streamNumber: number
  slot: number
  /** null if the series has no rows. */
  lastHour: number | null
  /** Samples before this time are searched. Milliseconds since 1970. */
  beforeMs: number
}

interface Search {
  sought: Sought
  fromMs: number
  toMs: number
  /** Where samples of earlier versions end, to which the hour does not apply. */
  formerToMs: number
}

/** Columns `place`, `time`, `message_id`, `number` (or null) and `other` (jsonb, or null) of the samples that were found. */
export type Candidates = RawBuilder<unknown>

/** Days that each further step goes back. */
const STEPS_BACK = [1, 4, 16, 64, 256, 1024, Infinity]
/** Spans that are further apart are searched by separate statements. */
const SPREAD_MS = 8 * DAY_MS

/** @param read executes a search and returns the places for which it found a sample */
export async function searchNewest(
  all: Sought[],
  read: (candidates: Candidates) => Promise<Set<number>>,
): Promise<void> {
  let left = all.map(startSearch)
  for (const days of STEPS_BACK) {
    const next: Search[] = []
    for (const part of splitBySpan(left)) {
      const found = await read(selectNewest(part))
      for (const one of part)
        if (!found.has(one.sought.place) && one.fromMs > -Infinity) next.push(continueSearch(one, days))
    }
    left = next
    if (left.length === 0) return
  }
  for (const part of splitBySpan(left)) await read(selectNewest(part))
}

function startSearch(sought: Sought): Search {
  const { beforeMs, lastHour } = sought
  if (lastHour === null) return { sought, fromMs: -Infinity, toMs: -Infinity, formerToMs: beforeMs }
  const toMs = Math.min(beforeMs, (lastHour + 1) * HOUR_MS)
  return { sought, fromMs: Math.min(toMs - HOUR_MS, lastHour * HOUR_MS), toMs, formerToMs: beforeMs }
}

const continueSearch = ({ sought, fromMs }: Search, days: number): Search => ({
  sought,
  fromMs: fromMs - days * DAY_MS,
  toMs: fromMs,
  formerToMs: fromMs,
})

function splitBySpan(all: Search[]): Search[][] {
  const parts: Search[][] = []
  for (const one of all.toSorted((a, b) => b.toMs - a.toMs || b.fromMs - a.fromMs)) {
    const part = parts.at(-1)
    if (part && isNear(part[0]!, one)) part.push(one)
    else parts.push([one])
  }
  return parts
}

/** @param first ends as late as the other, or later */
const isNear = (first: Search, one: Search): boolean =>
  one.toMs === first.toMs || first.toMs - one.fromMs <= Math.max(SPREAD_MS, first.toMs - first.fromMs)

function selectNewest(part: Search[]): Candidates {
  const ints = (of: (one: Sought) => number) => encodeInts(part.map(({ sought }) => of(sought)))
  const times = (of: (one: Search) => number) => encodeTimes(part.map((one) => boundTime(of(one))))
  const fromMs = part.reduce((least, one) => Math.min(least, one.fromMs), Infinity)
  const inSpan = sql`time >= ${timeText(fromMs)}::timestamptz and time < ${timeText(part[0]!.toMs)}::timestamptz
    and time >= sought.since and time < sought.until`
  const packedSpan = { from: sql`sought.since`, to: sql`sought.until - interval '1 ms'` }
  const inFormer = sql`time >= sought.since and time < sought.former_until`
  // Most values are asked of series that are sending: the search for packed ones would take half of the time.
  const hasPacked = mayBePacked(fromMs, Date.now())
  const [tenantNumber, streamNumber, slot] = ['tenant_number', 'stream_number', 'slot'].map((name) =>
    sql.ref(`sought.${name}`),
  ) as [Candidates, Candidates, Candidates]
  return sql`
    select sought.place, newest.* from unnest(
      ${ints((one) => one.place)}::int[], ${ints((one) => one.tenantNumber)}::int[],
      ${ints((one) => one.seriesNumber)}::int[], ${ints((one) => one.streamNumber)}::int[],
      ${ints((one) => one.slot)}::int[], ${times((one) => one.fromMs)}::timestamptz[],
      ${times((one) => one.toMs)}::timestamptz[], ${times((one) => one.formerToMs)}::timestamptz[]
    ) as sought (place, tenant_number, series_number, stream_number, slot, since, until, former_until)
    cross join lateral (
      select * from (
        (${selectRows({ tenantNumber, streamNumber, slot }, inSpan)} ${newestFirst})
        union all (
          select * from (${selectFormerSamples({ tenantNumber, number: sql.ref('sought.series_number') }, inFormer)}) former
          ${newestFirst})
        ${hasPacked ? sql`union all ${selectPackedLast({ tenantNumber, streamNumber, slot }, packedSpan)}` : sql``}
      ) candidate ${newestFirst}
    ) newest`
}

/** Each part has this order itself, so that the database reads backwards along the index and does not sort. */
export const newestFirst = sql`order by time desc, message_id desc limit 1`

const [FIRST_MS, LAST_MS] = [Date.parse('0001-01-01T00:00:00Z'), Date.UTC(9999, 11, 31, 23, 59, 59, 999)]

/** No sample is before the year 1 or after the year 9999, and times beyond have no usual text. */
const boundTime = (ms: number): number => {
  if (ms > LAST_MS) return Infinity
  return ms < FIRST_MS ? -Infinity : ms
}

const timeText = (ms: number): string => {
  const bound = boundTime(ms)
  if (Number.isFinite(bound)) return new Date(bound).toISOString()
  return bound > 0 ? 'infinity' : '-infinity'
}
