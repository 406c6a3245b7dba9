/** Shapes of the timeseries routes. [docs/telemetry#queries] */
import Type, { type Static } from 'typebox'
import { Nullable, SuppliedId, Timestamp } from '../http/shapes.ts'
import { aggregationTypes } from '../lib/aggregation-types.ts'

export const MAX_NAMES = 100
/** The maximum number of points of one item. [docs/telemetry#queries] */
export const RESULT_LIMIT = 100_000
export const DEFAULT_MAX_POINTS = 1000
const MAX_ASSETS = 100
const MAX_LATEST_ITEMS = 1000

export const SignalName = Type.String({ minLength: 1, maxLength: 256 })
const SeriesTypeName = Type.Enum(['telemetry', 'propertyReported'])

/** A value of any JSON type. */
const Value = Type.Unsafe<unknown>(Type.Any())

export const KeptUnder = Type.Array(
  Type.Object({
    remoteEndpointId: Type.String({ description: 'The requested signal' }),
    assetId: Type.String(),
    componentId: Nullable(Type.String()),
    timeseriesName: Type.String(),
    timeseriesType: SeriesTypeName,
  }),
  {
    description:
      'For a provider client: the signals that assets have bound, and the assets under which their values are stored. Absent if there are none',
  },
)
export type KeptUnder = Static<typeof KeptUnder>

export const TimeseriesRequest = Type.Object(
  {
    assetId: Type.Optional(SuppliedId),
    assetIds: Type.Optional(
      Type.Array(SuppliedId, {
        minItems: 1,
        maxItems: MAX_ASSETS,
        uniqueItems: true,
        description: 'Several assets or provider clients instead of assetId; `missing` names those left out',
      }),
    ),
    timeseriesName: Type.Array(SignalName, { minItems: 1, maxItems: MAX_NAMES, description: 'Signal names' }),
    searchSpanFrom: Type.String({ maxLength: 64, description: 'ISO 8601 timestamp, inclusive' }),
    searchSpanTo: Type.String({ maxLength: 64, description: 'ISO 8601 timestamp, exclusive' }),
    aggregationType: Type.Optional(Type.Enum([...aggregationTypes])),
    aggregationTypes: Type.Optional(
      Type.Array(Type.Enum([...aggregationTypes]), {
        minItems: 1,
        maxItems: aggregationTypes.length,
        uniqueItems: true,
        description: 'Several aggregations instead of aggregationType; each is an item of its own',
      }),
    ),
    aggregationInterval: Type.Optional(
      Type.String({ description: 'ISO 8601 duration such as PT15M, P1D, P1M; without a type, it means avg' }),
    ),
    resolution: Type.Optional(
      Type.Enum(['auto'], {
        description: 'The server chooses the interval for maxPoints; time_bucket of the answer names it',
      }),
    ),
    maxPoints: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: RESULT_LIMIT,
        default: DEFAULT_MAX_POINTS,
        description: 'With resolution `auto`: the maximum number of buckets of each item',
      }),
    ),
    timeZone: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'IANA name; days, weeks, months and years are those of this zone',
        default: 'UTC',
      }),
    ),
    whereClause: Type.Optional(
      Type.String({
        description:
          "SQL-like filter over time, assetid, componentid, timeseries_name, timeseries_type, modelid, messageid, value, such as `value > 20 AND time >= '2026-01-01'`",
      }),
    ),
  },
  { title: 'TimeseriesRequest' },
)

export const TimeseriesResult = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        name: Type.String({
          description: 'Signal name, for an aggregation with its suffix: temperature_avg',
        }),
        signalId: Type.String({ description: 'Endpoint id: pump-7/-/telemetry/temperature' }),
        items: Type.Array(Type.Object({ value: Value, timestamp: Timestamp })),
        queryResultLimitReached: Nullable(Type.Object({ resultLimit: Type.Integer() })),
      }),
    ),
    aggregation: Type.String({ description: 'Empty for raw samples; several are separated by commas' }),
    time_bucket: Type.String({ description: 'The interval, given or chosen; empty without one' }),
    samplesFrom: Type.Optional({
      ...Timestamp,
      description:
        'Where the tenant keeps rollups: before this time there are no samples, only the count, sum, minimum, maximum, first and last number of each half hour',
    }),
    missing: Type.Optional(
      Type.Array(Type.String(), {
        description: 'With assetIds: the ids that do not exist or that the caller may not view',
      }),
    ),
    keptUnder: Type.Optional(KeptUnder),
  },
  { title: 'TimeseriesResult' },
)

export const LatestRequest = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        assetId: Type.Union([SuppliedId, Type.Null()], {
          description: 'null for every asset that has the signals',
        }),
        componentId: Type.Union([Type.String({ maxLength: 256 }), Type.Null()], {
          description: 'null for the root component',
        }),
        timeseries: Type.Array(Type.Object({ name: SignalName, type: SeriesTypeName }), {
          maxItems: MAX_LATEST_ITEMS,
        }),
      }),
      { maxItems: MAX_LATEST_ITEMS },
    ),
  },
  { title: 'LatestRequest' },
)

export const LatestResult = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        time: Timestamp,
        assetId: Type.String(),
        componentId: Nullable(Type.String()),
        timeseriesName: Type.String(),
        timeseriesType: SeriesTypeName,
        value: Value,
      }),
    ),
    keptUnder: Type.Optional(KeptUnder),
  },
  { title: 'LatestResult' },
)
