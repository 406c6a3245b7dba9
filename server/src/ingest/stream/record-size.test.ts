import { expect, test } from 'vitest'
import { fillUp, roundLimit } from './record-size.ts'

const SUBJECT = 'gangway.0123456789abcdef.ingest.telemetry.7'

/** The bytes that a server of NATS counts for a record with headers. */
const countRecord = (version: string | undefined, size: number) => {
  const batch = Buffer.alloc(size)
  const { length } = `${fillUp(version, SUBJECT, batch)}`
  return 22 + SUBJECT.length + 4 + length + batch.length + 8
}

test.each(['2.9.10', '2.10.27', undefined])('batches for a server %s are filled up', (version) => {
  for (let size = 0; size < 300; size++) expect(countRecord(version, size) % 128).toBe(0)
})

test.each(['2.11.0', '2.15.1', '3.0.0-RC.1'])('batches for a server %s stay as they are', (version) => {
  expect(fillUp(version, SUBJECT, Buffer.alloc(1))).toBeUndefined()
})

test('the limit of the stream is rounded down', () => {
  expect([128, 129, 255].map(roundLimit)).toEqual([128, 128, 128])
})
