import type { SeriesColumn } from '../storage/packed/read-pieces.ts'

type Numbers = Float64Array | BigInt64Array | Uint32Array

/** Joins samples that follow one another. */
export function joinSamples(parts: Required<SeriesColumn>[]): Required<SeriesColumn> {
  const starts: number[] = []
  let length = 0
  for (const { times } of parts) {
    starts.push(length)
    length += times.length
  }
  const columns = parts.map(({ column }) => column)
  const placeRows = (rows: Uint32Array, index: number) => rows.map((row) => row + starts[index]!)
  return {
    times: join(
      Float64Array,
      parts.map(({ times }) => times),
    ),
    messageIds: join(
      BigInt64Array,
      parts.map(({ messageIds }) => messageIds),
    ),
    column: {
      numberRows: join(
        Uint32Array,
        columns.map(({ numberRows }, index) => placeRows(numberRows, index)),
      ),
      numbers: join(
        Float64Array,
        columns.map(({ numbers }) => numbers),
      ),
      otherRows: join(
        Uint32Array,
        columns.map(({ otherRows }, index) => placeRows(otherRows, index)),
      ),
      others: columns.flatMap(({ others }) => others),
    },
  }
}

function join<Array extends Numbers>(type: new (length: number) => Array, parts: Array[]): Array {
  const joined = new type(parts.reduce((sum, part) => sum + part.length, 0))
  let start = 0
  for (const part of parts) {
    // The parts are of one type, which TypeScript does not know.
    joined.set(part as never, start)
    start += part.length
  }
  return joined
}
