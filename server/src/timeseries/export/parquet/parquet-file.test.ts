import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { expect, test } from 'vitest'
import { createParquetFile, type ParquetSeries } from './parquet-file.ts'

const series: ParquetSeries = { assetId: 'pump', componentId: null, type: 'telemetry', name: 't' }

test('groups become larger after each thousand, so that a long file has few of them; it stays readable', async () => {
  const file = createParquetFile()
  const parts: Buffer[] = []
  const expected: number[] = []
  const add = (count: number) => {
    const from = expected.length
    for (let value = from; value < from + count; value++) expected.push(value)
    file.add(
      series,
      expected.slice(from).map((value) => [value, value, null]),
    )
  }
  const write = async () => parts.push(await file.writeGroup())
  for (const rows of [25_000, 50_000, 100_000]) {
    add(rows - 1)
    expect(file.isGroupFull()).toBe(false)
    add(1)
    expect(file.isGroupFull()).toBe(true)
    await write()
    for (let group = 1; group < 1000; group++) {
      add(1)
      await write()
    }
  }
  parts.push(file.finish())
  const { buffer } = new Uint8Array(Buffer.concat(parts))
  expect(parquetMetadata(buffer).row_groups.length).toBe(3000)
  const rows = await parquetReadObjects({ file: buffer, columns: ['value'] })
  expect(rows.map(({ value }) => value)).toEqual(expected)
})
