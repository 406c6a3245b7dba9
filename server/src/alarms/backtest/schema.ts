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
    notifications: Type.Integer({ description: 'Had everybody acknowledged at once; one an activation' }),
    notificationsUnacknowledged: Type.Integer({
      description: 'Had nobody acknowledged; at most one an asset',
    }),
    samples: Type.Integer({ description: 'That were looked at' }),
    samplesNotJudged: Type.Integer({
      description:
        'Of these, those at which the conditions took more steps of work than one message may take: the alarm stayed as it was',
    }),
  },
  { title: 'BacktestResult' },
)
export type BacktestResult = Static<typeof BacktestResult>
