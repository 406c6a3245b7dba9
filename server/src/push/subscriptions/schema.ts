import Type, { type Static } from 'typebox'
import { validationError } from '../../http/errors.ts'
import { Nullable, SuppliedId, Timestamp, Uuid } from '../../http/shapes.ts'
import { SignalName } from '../../timeseries/schema.ts'

export const MAX_ASSETS = 1000
const MAX_NAMES = 1000
const MAX_INTERVAL_SECONDS = 86_400

const Topic = Type.Union([Type.Literal('telemetry'), Type.Literal('alarm')])
const SamplingType = Type.Union([Type.Literal('none'), Type.Literal('first')])

/** [docs/push#subscriptions] */
const fields = {
  topic: Topic,
  assets: Type.Array(SuppliedId, {
    minItems: 1,
    maxItems: MAX_ASSETS,
    uniqueItems: true,
    description:
      'Assets; also provider clients, whose telemetry is stored under themselves while no asset binds it',
  }),
  timeseriesName: Nullable(
    Type.Array(SignalName, {
      minItems: 1,
      maxItems: MAX_NAMES,
      uniqueItems: true,
      description: 'Telemetry of these names only; null, or absent, for all signals of the assets',
    }),
  ),
  batched: Type.Boolean(),
  samplingType: SamplingType,
  sampleIntervalSeconds: Nullable(
    Type.Integer({
      minimum: 0,
      maximum: MAX_INTERVAL_SECONDS,
      description: 'Required, and at least 1, if samplingType is `first`: one value per series and interval',
    }),
  ),
}
const ConnectionId = Type.String({ minLength: 1, maxLength: 128 })

export const CreateSubscription = Type.Object({
  connectionId: ConnectionId,
  topic: fields.topic,
  assets: fields.assets,
  timeseriesName: Type.Optional(fields.timeseriesName),
  batched: Type.Optional(fields.batched),
  samplingType: Type.Optional(fields.samplingType),
  sampleIntervalSeconds: Type.Optional(fields.sampleIntervalSeconds),
})
export type SubscriptionBody = Static<typeof CreateSubscription>

/** Fields that it leaves out stay as they are; the lifetime starts again in any case. */
export const ChangeSubscription = Type.Partial(CreateSubscription)

export const SubscriptionRecord = Type.Object(
  {
    id: Uuid,
    connectionId: Type.String(),
    user: Uuid,
    topic: Topic,
    startTimestamp: Timestamp,
    assets: Type.Array(Type.String()),
    timeseriesName: Nullable(Type.Array(Type.String())),
    batched: Type.Boolean(),
    samplingType: SamplingType,
    sampleIntervalSeconds: Nullable(Type.Integer()),
  },
  { title: 'Subscription' },
)

export const NegotiatedConnection = Type.Object(
  {
    url: Type.String({
      description: 'Address of the WebSocket; the token is its query parameter access_token',
    }),
    accessToken: Type.String(),
    expiresAt: Nullable(
      Type.String({
        format: 'date-time',
        description: 'When the connection ends with the API token or OIDC token; null for a sign-in',
      }),
    ),
  },
  { title: 'NegotiatedConnection' },
)

/** @throws validation_error */
export function requireUsable(body: SubscriptionBody): void {
  requireUsableSampling(body)
  if (body.topic === 'alarm' && body.timeseriesName)
    throw validationError({
      path: 'timeseriesName',
      message: 'must be null for alarms, which have no signal',
    })
}

function requireUsableSampling({ topic, samplingType, sampleIntervalSeconds }: SubscriptionBody): void {
  if (samplingType !== 'first') return
  if (topic === 'alarm')
    throw validationError({ path: 'samplingType', message: 'must be none for alarms: each of them is sent' })
  if (!sampleIntervalSeconds)
    throw validationError({
      path: 'sampleIntervalSeconds',
      message: `must be 1 to ${MAX_INTERVAL_SECONDS} where samplingType is first`,
    })
}
