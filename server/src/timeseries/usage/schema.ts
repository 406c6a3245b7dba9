import Type, { type Static } from 'typebox'
import { Nullable, Timestamp } from '../../http/shapes.ts'
import { tiers } from './usage.ts'

const Tier = Type.Enum([...tiers], {
  description: 'Where samples are stored, newest first, and what is computed from them',
})
const count = (description: string) => Type.Integer({ minimum: 0, description })
const amount = {
  values: count('Stored samples; rollups have none of their own'),
  bytes: count('Bytes of them, with index entries'),
}
const BytesPerValue = { ...Nullable(Type.Number()), description: 'Bytes of one sample; null without samples' }
const Day = Type.String()

export const TelemetryStorage = Type.Object(
  {
    measuredAt: { ...Timestamp, description: 'When it was measured' },
    ...amount,
    bytesPerValue: BytesPerValue,
    isEstimate: Type.Boolean({ description: 'Some figures are estimated from a part of the rows' }),
    tiers: Type.Array(
      Type.Object({
        tier: Tier,
        ...amount,
        bytesPerValue: BytesPerValue,
        oldestDay: { ...Nullable(Day), description: 'The first day with samples, UTC' },
        newestDay: { ...Nullable(Day), description: 'The last day with samples, UTC' },
      }),
      { description: 'The figures of each tier' },
    ),
    ages: Type.Array(
      Type.Object({
        tier: Tier,
        fromDays: Type.Integer({ description: 'Days before today; today and later times are 0' }),
        toDays: Nullable(Type.Integer({ description: 'Not included; null without an end' })),
        ...amount,
      }),
      { description: 'The figures by age; without groups that have nothing' },
    ),
    growth: Type.Object(
      {
        days: Type.Integer({ description: 'Full days before today that are averaged: up to 7' }),
        valuesPerDay: count('Samples of a day'),
        bytesPerDay: Type.Integer({ description: 'At the bytes a value of the tier that keeps them' }),
        expiringBytesPerDay: Type.Integer({
          description: 'Removed by the retention each day, less the rollups that are kept instead',
        }),
      },
      { description: 'By the time of the samples, so that imported history does not count' },
    ),
    disk: {
      ...Nullable(
        Type.Object({
          freeBytes: count('Free space'),
          growthBytesPerDay: Type.Integer({ description: 'Of all tenants, after retention' }),
          daysLeft: Nullable(Type.Number({ description: 'null if the stored telemetry does not grow' })),
        }),
      ),
      description:
        'The disk of the embedded database, for owners of the environment; null for others and with a database of your own',
    },
  },
  { title: 'TelemetryStorage' },
)
export type TelemetryStorage = Static<typeof TelemetryStorage>
