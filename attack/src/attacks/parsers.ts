import type { Attack } from '../attack.ts'
import { countedText, repeated } from '../many.ts'

const list = <T>(length: number, make: (index: number) => T) =>
  Array.from({ length }, (_, index) => make(index))
const time = (index: number) => new Date(1_700_000_000_000 + index).toISOString()
/** A CBOR map of one list with items of as many bytes. */
const cborList = (count: number, item: string) => {
  const head = Buffer.from('a161619a00000000', 'hex')
  head.writeUInt32BE(count, 4)
  return Buffer.concat([head, Buffer.alloc((count * item.length) / 2, item, 'hex')])
}

/** The payloads of at most 1 MiB that took each parser longest. */
const payloads: [parser: string, payload: string | Buffer][] = [
  [
    'structured-metrics',
    JSON.stringify({
      metrics: list(10_000, (index) => ({ name: `s${index}`, value: index, timestamp: time(index) })),
    }),
  ],
  [
    'senml',
    JSON.stringify(list(9999, (index) => ({ n: `s${index}`, v: index, t: 1.7e9 + index, u: 'Cel' }))),
  ],
  ['senml', `[${list(31_900, (index) => `{"bn":"${index}"}`).join(',')}]`],
  ['influx-line', list(10_000, (index) => `m,a=${index} f=1 ${1.7e18 + index * 1e6}\n`).join('')],
  ['influx-line', `m ${list(100_000, (index) => `a${index}=1`).join(',')}`],
  ['obis', `/X\r\n\r\n1.8.0${'(210101120000S)'.repeat(66_000)}\r\n!\r\n`],
  ['obis', `/X\r\n\r\n1.8.0${'(210101120000S)'.repeat(24_000)}\r\n!\r\n`],
  ['cbor', cborList(900_000, 'a0')],
  ['cbor', cborList(900_000, '01')],
  ['cbor', cborList(31_900, 'c100')],
  ['cbor', cborList(15_900, 'c24101')],
  ['cbor', cborList(15_900, 'a10000')],
]
const ROUNDS = 2

export const parsers: Attack = {
  name: 'parsers',
  about: 'the slowest payloads of each parser',
  async prepare({ attacker }) {
    for (const [index, [name]] of payloads.entries())
      await attacker.makeDevice(`parser-${index}`, { parser: { name } })
  },
  async run({ attacker }) {
    const devices = await Promise.all(payloads.map((_, index) => attacker.connectDevice(`parser-${index}`)))
    const outcomes = await repeated(ROUNDS * payloads.length, async (place) => {
      const index = place % payloads.length
      const payload = payloads[index]![1]
      await devices[index]!.publishAsync(`devices/parser-${index}/telemetry`, payload, { qos: 1 })
      return 'PUBACK'
    })
    return countedText(outcomes)
  },
}
