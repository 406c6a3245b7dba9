/** The result of a historical query as Parquet, without a limit of rows. [docs/telemetry#parquet] */
import type { Kysely } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { readPoints, typedValues } from '../../query/point-format.ts'
import { pointPages, type ResultItem, resultName } from '../../query/query.ts'
import { createParquetFile, type ParquetFile, type ParquetPoint, type ParquetSeries } from './parquet-file.ts'

const CHUNK_BYTES = 64 * 1024
/** A turn ends after this time, though its group is small: a search that finds little must not hold up the exports of others. */
const TURN_MS = 5_000

/**
 * Reads and writes one group of rows after another. Between two groups it holds no rows and no connection, even if the
 * reader is slow.
 * @param enter waits for a turn to read and write a group; it returns a function that ends the turn
 */
export async function* parquetResult(
  db: Kysely<Tables>,
  items: ResultItem[],
  enter: () => Promise<() => void>,
): AsyncGenerator<Buffer> {
  const file = createParquetFile()
  const pages = pointsOfItems(db, items)
  for (let hasMore = true; hasMore;) {
    const leave = await enter()
    let group: Buffer
    try {
      hasMore = await fillGroup(file, pages)
      group = await file.writeGroup()
    } finally {
      leave()
    }
    yield* splitBytes(group)
  }
  yield* splitBytes(file.finish())
}

/** @returns whether there may be more points */
async function fillGroup(file: ParquetFile, pages: AsyncGenerator<SeriesPoints>): Promise<boolean> {
  const endMs = performance.now() + TURN_MS
  while (!file.isGroupFull() && performance.now() < endMs) {
    const next = await pages.next()
    if (next.done) return false
    file.add(next.value.series, next.value.points)
  }
  return true
}

export interface SeriesPoints {
  series: ParquetSeries
  points: ParquetPoint[]
}

/** Yields the points of each item in time order, page by page. */
export async function* pointsOfItems(
  db: Kysely<Tables>,
  items: Iterable<ResultItem>,
): AsyncGenerator<SeriesPoints> {
  for (const item of items) {
    const { ownerId, componentId, type } = item.signal.key
    const series = { assetId: ownerId, componentId: componentId || null, type, name: resultName(item) }
    for await (const { pieces } of pointPages(db, item, { format: typedValues, limit: Infinity }))
      yield { series, points: readPoints<ParquetPoint>(pieces) }
  }
}

function* splitBytes(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES)
}
