/** Compares answers of the timeseries routes with those of the list in memory. */
import { parquetReadObjects } from 'hyparquet'
import { expect } from 'vitest'
import type { AggregationType } from '../../../src/lib/aggregation-types.ts'
import type { SeriesType } from '../../../src/timeseries/storage/series-key.ts'
import type { TimeseriesApi } from '../timeseries-api.ts'
import { createKey, type Grid } from './grid-keys.ts'
import { names, owners } from './operations.ts'
import {
  aggregate,
  listPoints,
  type Point,
  type SeriesName,
  type StoredList,
  withoutSign,
} from './stored-list.ts'

export interface Asked {
  api: TimeseriesApi
  tenantId: string
  stored: StoredList
  /** Those of each series that were listed already. */
  points: Map<string, Point[]>
  from: number
  to: number
}

export interface Filter {
  clause: string
  passes(point: Point & SeriesName): boolean
}

interface Item {
  name: string
  signalId: string
  items: { value: unknown; timestamp: string }[]
  queryResultLimitReached: null
}

async function ask(asked: Asked, body: object) {
  const answer = await asked.api.post(asked.tenantId, '/v1/timeseries/get', { ...describe(asked), ...body })
  expect(answer).toMatchObject({ status: 200 })
  return answer.body as { items: Item[]; time_bucket: string }
}

const describe = ({ from, to }: Asked) => ({
  assetIds: owners,
  timeseriesName: names,
  searchSpanFrom: new Date(from).toISOString(),
  searchSpanTo: new Date(to).toISOString(),
})

const describeFilter = (filter: Filter | undefined) => (filter ? { whereClause: filter.clause } : {})

function readSeries(signalId: string): SeriesName {
  const [owner, , type, name] = signalId.split('/') as [string, string, string, string]
  return { owner, type: (type === 'property' ? 'propertyReported' : type) as SeriesType, name }
}

function listExpected(asked: Asked, series: SeriesName, filter: Filter | undefined): Point[] {
  const points = listInSpan(asked, series)
  return filter ? points.filter((point) => filter.passes({ ...point, ...series })) : points
}

export function listInSpan({ stored, points, from, to }: Asked, { owner, type, name }: SeriesName): Point[] {
  const key = `${owner} ${type} ${name}`
  const known =
    points.get(key) ??
    listPoints(stored, { owner, type, name }).filter(({ time }) => time >= from && time < to)
  points.set(key, known)
  return known
}

/** All series that have samples are in the answer. */
function expectAllSeries({ stored }: Asked, items: Item[]): void {
  const found = new Set(items.map(({ signalId }) => signalId))
  for (const { owner, type, values } of stored.values())
    for (const name of Object.keys(values))
      expect(found).toContain(`${owner}/-/${type === 'telemetry' ? 'telemetry' : 'property'}/${name}`)
}

export async function compareRaw(asked: Asked, filter?: Filter): Promise<void> {
  const { items } = await ask(asked, describeFilter(filter))
  expectAllSeries(asked, items)
  for (const { signalId, items: points } of items) {
    const found = points.map(({ value, timestamp }) => [Date.parse(timestamp), value])
    const expected = listExpected(asked, readSeries(signalId), filter).map(({ time, value }) => [time, value])
    expect({ signalId, points: found }).toEqual({ signalId, points: expected })
  }
}

export interface AskedBuckets {
  types: AggregationType[]
  grid: Grid
  filter?: Filter | undefined
}

export async function compareBuckets(asked: Asked, { types, grid, filter }: AskedBuckets): Promise<void> {
  const { items } = await ask(asked, {
    ...(types.length === 1 ? { aggregationType: types[0] } : { aggregationTypes: types }),
    ...(grid.text === '' ? {} : { aggregationInterval: grid.text }),
    timeZone: grid.timeZone,
    ...describeFilter(filter),
  })
  expectAllSeries(asked, items)
  for (const item of items) expectBuckets(asked, item, { grid, filter })
}

/** The server chooses the interval. */
export async function compareAutomatic(asked: Asked, maxPoints: number, timeZone: string): Promise<void> {
  const types: AggregationType[] = ['min', 'avg', 'last']
  const { items, time_bucket: text } = await ask(asked, {
    aggregationTypes: types,
    resolution: 'auto',
    maxPoints,
    timeZone,
  })
  for (const item of items) {
    expect(item.items.length).toBeLessThanOrEqual(maxPoints)
    expectBuckets(asked, item, { grid: { text, timeZone }, filter: undefined })
  }
}

function expectBuckets(asked: Asked, item: Item, { grid, filter }: Omit<AskedBuckets, 'types'>): void {
  const series = readSeries(item.signalId)
  const type = item.name.slice(series.name.length + 1) as AggregationType
  const key = createKey(grid)
  const buckets = new Map<number, unknown[]>()
  for (const { time, value } of listExpected(asked, series, filter)) {
    const values = buckets.get(key(time))
    if (values) values.push(value)
    else buckets.set(key(time), [value])
  }
  const expected = [...buckets].flatMap(([bucket, values]) => {
    const value = aggregate(type, values)
    return value === undefined ? [] : [[bucket, value]]
  })
  const isOfSamples = type === 'first' || type === 'last'
  const found = item.items.map(({ value, timestamp }) => [
    key(Date.parse(timestamp)),
    isOfSamples ? value : withoutSign(value),
  ])
  const question = { signalId: item.signalId, type, grid }
  expect({ ...question, buckets: found }).toEqual({ ...question, buckets: expected })
  if (grid.text === '') return
  // Each begins with the first millisecond of its bucket.
  for (const { timestamp } of item.items)
    if (timestamp > '1980' && timestamp < '9990')
      expect(key(Date.parse(timestamp) - 1)).toBeLessThan(key(Date.parse(timestamp)))
}

export async function compareLatest({ api, tenantId, stored }: Asked): Promise<void> {
  const types: SeriesType[] = ['telemetry', 'propertyReported']
  const wanted = owners.flatMap((owner) =>
    names.flatMap((name) => types.map((type): SeriesName => ({ owner, name, type }))),
  )
  const answer = await api.post(tenantId, '/v1/timeseries/get/last', {
    items: wanted.map(({ owner, name, type }) => ({
      assetId: owner,
      componentId: null,
      timeseries: [{ name, type }],
    })),
  })
  expect(
    answer.body.items.map((one: Record<string, unknown>) => ({ ...one, time: Date.parse(`${one.time}`) })),
  ).toEqual(
    wanted.flatMap((series) => {
      const last = listPoints(stored, series).at(-1)
      if (!last) return []
      return {
        time: last.time,
        assetId: series.owner,
        componentId: null,
        timeseriesName: series.name,
        timeseriesType: series.type,
        // `JSON.stringify` drops the sign of zero.
        value: withoutSign(last.value),
      }
    }),
  )
}

interface Cell extends SeriesName {
  time: number
  value: unknown
}

/** In the order of the answer, where the series of both types have the same name in CSV. */
async function listCells(asked: Asked): Promise<Cell[]> {
  const { items } = await ask(asked, {})
  return items.flatMap(({ signalId }) => {
    const series = readSeries(signalId)
    return listExpected(asked, series, undefined).map(({ time, value }) => ({ ...series, time, value }))
  })
}

const send = (asked: Asked, accept: string) =>
  asked.api.send(asked.tenantId, '/v1/timeseries/get', describe(asked), { accept })

export async function compareCsv(asked: Asked): Promise<void> {
  const response = await send(asked, 'text/csv')
  const [head, ...lines] = (await response.text()).split('\r\n')
  expect(head).toBe('time,assetid,componentid,timeseries_name,value')
  expect(lines.pop()).toBe('')
  const cells = await listCells(asked)
  expect(lines).toHaveLength(cells.length)
  for (const [index, { owner, name, time, value }] of cells.entries()) {
    const [start, text] = divideLine(lines[index]!)
    expect(start).toBe(`${new Date(time).toISOString()},${owner},,${name}`)
    if (typeof value === 'number') expect(Number(text)).toBe(value)
    else expect(text).toBe(writeCell(value))
  }
}

/** The columns before the value contain no commas here. */
function divideLine(line: string): [string, string] {
  const start = line.split(',', 4).join(',')
  return [start, line.slice(start.length + 1)]
}

function writeCell(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  // A spreadsheet must not read a text as a formula.
  const safe = typeof value === 'string' && /^\s*[=+@-]/.test(text) ? `'${text}` : text
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export async function compareParquet(asked: Asked): Promise<void> {
  const response = await send(asked, 'application/vnd.apache.parquet')
  const rows = await parquetReadObjects({ file: await response.arrayBuffer() })
  expect(
    rows.map((row) => ({
      owner: row.assetid,
      type: row.timeseries_type,
      name: row.timeseries_name,
      time: (row.time as Date).getTime(),
      value: row.value ?? (JSON.parse(row.value_json as string) as unknown),
    })),
  ).toEqual(await listCells(asked))
}
