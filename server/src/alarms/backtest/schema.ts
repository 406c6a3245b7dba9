import Type, { type Static } from 'typebox'
import { Nullable, SuppliedId, Timestamp } from '../../http/shapes.ts'
import { CreateAlarm } from '../schema.ts'

export const BacktestRequest = Type.Object(
  {
    alarm: Type.Object({ ...CreateAlarm.properties, name: Type.Optional(CreateAlarm.properties.name) }),
    assetIds: Type.Array(SuppliedId, { minItems: 1, maxItems: 100, uniqueItems: true }),
    from: Type.String({ maxLength: 64, description: 'ISO 8601 timestamp, inclusive' }),
    to: Type.String({ maxLength: 64, description: 'ISO 8601 timestamp, exclusive' }),
  },
  { title: 'Backtest' },
)
export type BacktestRequest = Static<typeof BacktestRequest>

export const BacktestResult = Type.Object(
  {
    activations: Type.Array(
      Type.Object({
        entityId: Type.String(),
        activatedAt: Timestamp,
        inactiveAt: Nullable(Timestamp),
        value: Type.Unknown(),
        timestamp: Timestamp,
      }),
    ),
    notifications: Type.Integer({
      description: 'If everybody acknowledged at once: one for each activation',
    }),
    notificationsUnacknowledged: Type.Integer({
      description: 'Notifications without any acknowledgement: at most one for each asset',
    }),
    samples: Type.Integer({ description: 'Number of samples that were evaluated' }),
    samplesNotJudged: Type.Integer({
      description:
        'Those samples among them whose conditions took more steps than one message may take: the alarm did not change',
    }),
  },
  { title: 'BacktestResult' },
)
export type BacktestResult = Static<typeof BacktestResult>
