import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Device } from '../message.ts'
import type { DeadLetterReason } from '../unreadable.ts'
import {
  type BatchItem,
  decodeBatch,
  encodeBatch,
  itemBytes,
  markLate,
  markSentBefore,
} from './batch-format.ts'

const text = fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll('\0', ''))

const items: fc.Arbitrary<BatchItem[]> = fc.array(
  fc.record({
    message: fc
      .record({
        number: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
        tenantNumber: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
        id: text,
        topic: text,
        payload: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
        receivedAtMs: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
        packetId: fc.integer({ min: 0, max: 65_535 }),
        isRepeat: fc.boolean(),
        sender: fc.option(
          fc.record({
            number: fc.integer({ min: 1, max: 2 ** 48 - 1 }),
            generation: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
          }),
          { nil: undefined },
        ),
        traceparent: fc.option(fc.constant(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`), { nil: undefined }),
      })
      .map(({ number, tenantNumber, id, traceparent, sender, ...message }) => ({
        ...message,
        device: { number, tenantNumber, id } as Device,
        ...(traceparent !== undefined && { traceparent }),
        ...(sender && { sender }),
      })),
    letter: fc.option(fc.record({ reason: fc.constant<DeadLetterReason>('not_json'), text }), {
      nil: undefined,
    }),
  }),
  { minLength: 1, maxLength: 5 },
)

test('a batch is read as it was written', () => {
  fc.assert(
    fc.property(items, fc.boolean(), fc.boolean(), (written, isSentBefore, mayBeLate) => {
      const batch = encodeBatch('sender.1', written)
      if (isSentBefore) markSentBefore(batch)
      if (mayBeLate) markLate(batch)
      const read = decodeBatch(batch)
      expect(read).toMatchObject({ isSentBefore, mayBeLate })
      expect(read.records).toEqual(
        written.map(({ message: { device, ...message }, letter }, index) => ({
          ...message,
          client: device,
          letter,
          ...(message.packetId === 0 && { arrivalKey: `sender.1/${index}` }),
        })),
      )
      expect(batch.length).toBeLessThanOrEqual(100 + written.reduce((sum, item) => sum + itemBytes(item), 0))
    }),
  )
})

test('a batch of which a byte is missing or too much is refused, and other bytes are a batch or refused', () => {
  fc.assert(
    fc.property(items, fc.nat(), fc.nat(255), (written, place, byte) => {
      const batch = encodeBatch('id', written)
      expect(() => decodeBatch(batch.subarray(0, place % batch.length))).toThrow('ends too early')
      expect(() => decodeBatch(Buffer.concat([batch, Buffer.from([byte])]))).toThrow(
        'longer than its messages',
      )
      const changed = Buffer.from(batch)
      changed[place % batch.length] = byte
      try {
        decodeBatch(changed)
      } catch (error) {
        expect((error as Error).name).toBe('UnreadableBatchError')
      }
    }),
  )
})

const device = { number: 7, tenantNumber: 3, id: 'd' } as Device
const message = {
  device,
  topic: 't',
  payload: Buffer.from('{}'),
  receivedAtMs: 1,
  packetId: 2,
  isRepeat: true,
}

test('the same batch has the same bytes', () => {
  // Nodes of an earlier version read it: a change needs another version.
  expect(encodeBatch('s', [{ message, letter: undefined }]).toString('hex')).toBe(
    '0100000000017300000001010000000700000003000000000001000200000001640000000174000000027b7d',
  )
})

test.each([
  ['number', { device: { ...device, number: 2 ** 31 } }],
  ['generation', { sender: { number: 1, generation: 2 ** 31 } }],
])('a %s that PostgreSQL cannot store is refused', (what, fields) => {
  const batch = encodeBatch('s', [{ message: { ...message, ...fields }, letter: undefined }])
  expect(() => decodeBatch(batch)).toThrow(`an impossible ${what}`)
})
