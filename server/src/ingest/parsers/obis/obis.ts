/**
 * Parses meter telegrams: DSMR P1 and IEC 62056-21 readouts.
 *
 * Signal names are the OBIS codes of the telegram, such as `1-0:1.8.1` or `1.8.1`; the suffix `*255`, which means
 * "current value", is omitted. Further values of one data set are named `code#2`, `code#3`, ….
 * A value after a timestamp with S or W belongs to that time: gas of an M-Bus device, the peak of a month, an event
 * log. A value after an OBIS code in brackets belongs to that code. All other values belong to the time of the
 * telegram, `0-0:1.0.0`, which is not a signal itself, or to its arrival where that is missing.
 */
import Type from 'typebox'
import { validationError } from '../../../http/errors.ts'
import { isTimeZone, zoneTimeReader } from '../../../lib/time-zone.ts'
import { type Collector, collectReadings, type When } from '../collect-readings.ts'
import { endsPiece, format, type ReadingInPieces } from '../parser.ts'
import { checkedBlock } from './checked-block.ts'
import { type DataSet, readDataSets } from './data-sets.ts'
import { isLocalTime, isMeterTime, type MeterClock, meterTime } from './meter-time.ts'
import { meterValue } from './meter-value.ts'

const TELEGRAM_TIME = '0-0:1.0.0'
const isCode = (text: string) => /^\d{1,3}-\d{1,3}:\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(text)

export const obis = format({
  options: Type.Object(
    {
      utcOffsetMinutes: Type.Optional(
        Type.Integer({
          minimum: -720,
          maximum: 840,
          description: "Offset of the meters' winter time; 60 if absent",
        }),
      ),
      timeZone: Type.Optional(
        Type.String({
          maxLength: 64,
          description:
            'IANA name, such as Europe/Amsterdam: of times without S and W, as of gas in DSMR 2 and 3',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  example: {
    payload: '/X5\\2\r\n\r\n0-0:1.0.0(210101120000W)\r\n1-0:1.8.1(000123.456*kWh)\r\n!\r\n',
    options: { utcOffsetMinutes: 60 },
  },
  compile: ({ utcOffsetMinutes = 60, timeZone }, path) => {
    if (timeZone !== undefined && !isTimeZone(timeZone))
      throw validationError({
        path: `${path}.timeZone`,
        message: 'must be an IANA time zone such as Europe/Berlin',
      })
    const readZoneTime = timeZone === undefined ? undefined : zoneTimeReader(timeZone)
    return (payload) => parseTelegram(payload, { utcOffsetMinutes, readZoneTime })
  },
})

function* parseTelegram(payload: Buffer, clock: MeterClock): ReadingInPieces {
  const block = checkedBlock(payload)
  yield
  const dataSets = yield* readDataSets(block)
  const collector = collectReadings()
  const stamp = dataSets.find(({ code }) => code === TELEGRAM_TIME)?.values[0] ?? ''
  const timeMs = isMeterTime(stamp) || isLocalTime(stamp) ? meterTime(stamp, clock) : undefined
  for (const dataSet of dataSets)
    if (dataSet.code !== TELEGRAM_TIME) yield* addValues(collector, reordered(dataSet), { timeMs }, clock)
  return collector.readings
}

function* addValues(
  { add }: Collector,
  { code, values }: DataSet,
  telegram: When,
  clock: MeterClock,
): Generator<void, void> {
  let name = code
  let when: When | undefined = telegram
  let count = 0
  for (const [place, text] of values.entries()) {
    if (endsPiece(place)) yield
    if (isLocalTimeOfGas(code, values, place)) {
      const timeMs = meterTime(text, clock)
      // Without a known zone, the text is not a point in time.
      if (timeMs !== undefined) when = { timeMs }
    } else if (isMeterTime(text)) {
      const timeMs = meterTime(text, clock)
      // The clock was never set, so the time of the value is unknown.
      when = timeMs === undefined ? undefined : { timeMs }
      count = 0
    } else if (isCode(text)) {
      name = text
      count = 0
    } else {
      count++
      const { value, unit } = meterValue(name, text)
      if (when && value !== null) add(count === 1 ? name : `${name}#${count}`, value, when, unit)
    }
  }
}

/** Detects (time)(value) of an M-Bus device. In other data sets, twelve digits may be a number. */
const isLocalTimeOfGas = (code: string, values: string[], place: number) =>
  place === 0 && values.length > 1 && /^0-\d+:24\.\d+\.\d+$/.test(code) && isLocalTime(values[0]!)

/** DSMR 2 and 3 write an M-Bus value as (time)(status)(minutes)(1)(code)(unit)(value). */
function reordered(dataSet: DataSet): DataSet {
  const [time, , , , code, unit, value] = dataSet.values
  if (!/^0-\d+:24\.3\.0$/.test(dataSet.code) || dataSet.values.length !== 7 || !isCode(code!)) return dataSet
  return { code: code!, values: [time!, `${value}*${unit}`] }
}
