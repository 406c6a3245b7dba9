/** Arranges samples in rows, as they are written to the database. */
import type { SampleRow } from '../timeseries/storage/sample-row.ts'
import {
  findStream,
  type SeriesRegistry,
  slotKey,
  type Stream,
} from '../timeseries/storage/series-registry.ts'
import type { Projected } from './projection/projected.ts'
import type { Samples } from './samples.ts'

export interface ProjectedRow extends SampleRow {
  projected: Projected
  stream: Stream
  /** The samples that the row holds. */
  samples: Samples[]
}

export const isOfClient = ({ samples }: ProjectedRow): boolean => samples[0]!.owner.ownerType === 'client'

export const countSamples = (rows: Iterable<SampleRow>): number => {
  let count = 0
  for (const { slots } of rows) count += slots.length
  return count
}

/** @returns undefined if a series is not in the registry; then call `ensureSeries` */
export function findRows(registry: SeriesRegistry, all: Projected[]): ProjectedRow[] | undefined {
  const rows: ProjectedRow[] = []
  for (const projected of all) {
    const first = rows.length
    for (const samples of projected.samples) {
      if (!needsRow(projected, samples)) continue
      const stream = findStream(registry, samples.owner, samples.type)
      if (!stream || !addSamples(rowOf(rows, first, { projected, samples, stream }), samples, stream))
        return undefined
    }
  }
  return rows
}

/**
 * A message of a bound client has a row under the client also where assets have all of its values: a repeat is recognized
 * by it, whatever the bindings are then.
 */
export const needsRow = ({ bound, samples }: Projected, one: Samples): boolean =>
  hasValue(one) ||
  (one === samples[0] && bound !== null && one.type === 'telemetry' && samples.some(hasValue))

function hasValue({ values }: Samples): boolean {
  for (const value of values) if (value !== null) return true
  return false
}

/** Components of an asset have separate samples and a common row. */
function rowOf(
  rows: ProjectedRow[],
  first: number,
  { projected, samples, stream }: { projected: Projected; samples: Samples; stream: Stream },
): ProjectedRow {
  for (let index = first; index < rows.length; index++)
    if (rows[index]!.streamNumber === stream.number) {
      rows[index]!.samples.push(samples)
      return rows[index]!
    }
  const row: ProjectedRow = {
    tenantNumber: samples.owner.tenantNumber,
    streamNumber: stream.number,
    timeMs: samples.timeMs,
    messageId: samples.messageId,
    slots: [],
    values: [],
    projected,
    stream,
    samples: [samples],
  }
  rows.push(row)
  return row
}

/** @returns false if a series is not in the registry */
function addSamples({ slots, values }: SampleRow, samples: Samples, stream: Stream): boolean {
  const { names, componentId } = samples
  for (let index = 0; index < names.length; index++) {
    const value = samples.values[index]
    if (value === null) continue
    const slot = stream.slots.get(slotKey(componentId, names[index]!))
    if (slot === undefined) return false
    slots.push(slot)
    values.push(value)
  }
  return true
}
