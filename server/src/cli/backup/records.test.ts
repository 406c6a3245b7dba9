import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { DamagedError } from './error.ts'
import { decodeRecords, encodeRecords, type OutgoingRecord } from './records.ts'

const firstLine = 'a backup\n'

async function* records(): AsyncGenerator<OutgoingRecord> {
  let bytes = 0
  const data = async function* () {
    for (const text of ['one', '', 'three'.repeat(100_000)]) {
      bytes += text.length
      yield Buffer.from(text)
    }
  }
  yield { header: { record: 'with data' }, data: data(), end: () => ({ bytes }) }
  yield { header: { record: 'skipped' }, data: data() }
  yield { header: { record: 'without' } }
}

async function* inChunks(bytes: Buffer, length: number) {
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length)
}

test('records are read from chunks of any length; unread data is skipped', async () => {
  const encoded = await buffer(encodeRecords(records(), firstLine))
  for (const length of [1000, 65_536, encoded.length]) {
    const found: unknown[] = []
    for await (const record of decodeRecords(inChunks(encoded, length), firstLine)) {
      let bytes = 0
      if (record.header.record === 'with data') for await (const chunk of record.data) bytes += chunk.length
      found.push([record.header.record, bytes, record.end])
    }
    expect(found).toEqual([
      ['with data', 500_003, { bytes: 500_003 }],
      ['skipped', 0, {}],
      ['without', 0, {}],
    ])
  }
})

test('a truncated or changed file is detected at its end at the latest', async () => {
  const encoded = await buffer(encodeRecords(records(), firstLine))
  const read = async (bytes: Buffer, line = firstLine) => {
    for await (const { data } of decodeRecords(inChunks(bytes, 65_536), line))
      for await (const _chunk of data);
  }
  await read(encoded)
  await expect(read(encoded, 'another\n')).rejects.toThrow(DamagedError)
  await expect(read(Buffer.concat([encoded, Buffer.from('x')]))).rejects.toThrow(DamagedError)
  for (const at of [0, 1, 4, 5, 10, 40, 1000, encoded.length - 40, encoded.length - 1]) {
    await expect(read(encoded.subarray(0, at))).rejects.toThrow(DamagedError)
    const changed = Buffer.from(encoded)
    changed[at]! ^= 0x81
    await expect(read(changed)).rejects.toThrow(DamagedError)
  }
})
