/** Parsing a large payload is divided, so that other work runs in between. [docs/mqtt#limits] */
import { expect, test } from 'vitest'
import { createParsers } from './parsers/parsers.ts'
import type { Reading } from './parsers/parser.ts'
import { readPayload, readPayloadInTurns } from './read-payload.ts'

const parsers = createParsers()
const list = <T>(length: number, make: (index: number) => T) =>
  Array.from({ length }, (_, index) => make(index))
const RECORDS = 9000

const large: [parser: string, payload: string][] = [
  [
    'structured-metrics',
    JSON.stringify({
      metrics: list(RECORDS, (index) => ({ name: `s${index}`, value: index, timestamp: new Date(index) })),
    }),
  ],
  ['senml', JSON.stringify(list(RECORDS, (index) => ({ n: `s${index}`, v: index, t: 1.7e9 + index })))],
  ['influx-line', list(RECORDS, (index) => `m f=1 ${1.7e18 + index * 1e6}\n`).join('')],
  ['obis', `/X\r\n\r\n1.8.0${list(RECORDS, (index) => `(${index})`).join('')}\r\n!\r\n`],
  ['obis', `/X\r\n\r\n${list(RECORDS, (index) => `1.${index}.0(1)`).join('\r\n')}\r\n!\r\n`],
]

/** @returns the readings, and how often other work could run */
async function readCounted(name: string, payload: Buffer): Promise<{ readings: Reading[]; turns: number }> {
  let turns = 0
  const countTurn = () => {
    turns++
    return undefined
  }
  const readings = await readPayloadInTurns(parsers.of({ name }, ''), payload, countTurn)
  return { readings, turns }
}

test.each(large)('%s is parsed in pieces of at most 500 records', async (name, text) => {
  const payload = Buffer.from(text)
  const { readings, turns } = await readCounted(name, payload)
  expect(readings.flatMap(({ names }) => names)).toHaveLength(RECORDS)
  // The readings are checked one by one, with a turn for each and one at the end.
  expect(turns - readings.length - 1).toBeGreaterThanOrEqual(RECORDS / 500)
  expect(readings).toEqual(readPayload(parsers.of({ name }, ''), payload))
})

const reasonOf = async (payload: string) =>
  readCounted('json', Buffer.from(payload)).then(
    () => undefined,
    (error: { reason?: string }) => error.reason,
  )
const keys = (count: number) => list(count, (index) => `"${index.toString(36)}":0`).join()

test('an object of too many signals is refused before it is parsed', async () => {
  // The payload is not closed, so parsing it would report that it is not JSON.
  expect(await reasonOf(`{${keys(12_000)}`)).toBe('too_many_signals')
  expect(await reasonOf(`{${keys(9000)}`)).toBe('not_json')
  expect(await reasonOf(`{${'"a":1,'.repeat(20_000)}"b":2}`)).toBe(undefined)
})

test('a value with too many different keys is refused before it is parsed', async () => {
  expect(await reasonOf(`{"a":{${keys(18_000)}`)).toBe('too_much_work')
  expect(await reasonOf(`{"a":[${list(18_000, (index) => `{"${index.toString(36)}":0}`).join()}`)).toBe(
    'too_much_work',
  )
  expect(await reasonOf(`{"a":{${keys(15_999)}}}`)).toBe(undefined)
  expect(await reasonOf(`{"a":[${list(12_000, () => '{"x":1,"y":2,"z":3,"u":4}').join()}]}`)).toBe(undefined)
})
