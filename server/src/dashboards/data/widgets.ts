/** The kinds of widgets and their options. */
import Type, { type TSchema } from 'typebox'
import { SuppliedId, Uuid } from '../../http/shapes.ts'
import { aggregationTypes } from '../../lib/aggregation-types.ts'

const strict = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Object(properties, { additionalProperties: false })

const Text = Type.String({ minLength: 1, maxLength: 256 })
const Duration = Type.String({ pattern: '^P(?=.)[0-9A-Z.]{1,31}$', description: 'ISO 8601, such as PT15M' })
const Color = Type.String({ pattern: '^#([0-9A-Fa-f]{3,4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$' })

const Variable = Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' })

/** A value of an asset, or of the assets of a variable, named as in time series queries. */
const Signal = strict({
  assetId: Type.Optional(SuppliedId),
  variable: Type.Optional(Variable),
  componentId: Type.Optional(Type.Union([Text, Type.Null()])),
  name: Text,
  type: Type.Optional(Type.Enum(['telemetry', 'propertyReported', 'propertyDesired'])),
  label: Type.Optional(Text),
  color: Type.Optional(Color),
})
const signals = Type.Array(Signal, { maxItems: 50 })

/** A threshold applies to this value and greater ones. */
const Threshold = strict({ value: Type.Number(), color: Type.Optional(Color), label: Type.Optional(Text) })

const scale = {
  unit: Type.Optional(Type.String({ maxLength: 32 })),
  decimals: Type.Optional(Type.Integer({ minimum: 0, maximum: 10 })),
  min: Type.Optional(Type.Number()),
  max: Type.Optional(Type.Number()),
  thresholds: Type.Optional(Type.Array(Threshold, { maxItems: 20 })),
}

const Marker = strict({
  assetId: Type.Optional(SuppliedId),
  variable: Type.Optional(Variable),
  label: Type.Optional(Text),
  /** The position on the picture, from its upper left corner. */
  x: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  y: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  latitude: Type.Optional(Type.Number({ minimum: -90, maximum: 90 })),
  longitude: Type.Optional(Type.Number({ minimum: -180, maximum: 180 })),
})

/** Whether the time of the same length before is shown, too. */
const compare = Type.Optional(Type.Boolean())

export const optionsOfKind = {
  lineChart: strict({
    signals,
    ...scale,
    /** The period before now that it shows. */
    period: Type.Optional(Duration),
    aggregationInterval: Type.Optional(Duration),
    aggregationType: Type.Optional(Type.Enum([...aggregationTypes])),
    compare,
  }),
  barChart: strict({
    signals,
    ...scale,
    period: Type.Optional(Duration),
    aggregationType: Type.Optional(Type.Enum([...aggregationTypes])),
    compare,
  }),
  stateTimeline: strict({ signals, period: Type.Optional(Duration) }),
  latestValue: strict({ signals, ...scale, period: Type.Optional(Duration) }),
  gauge: strict({ signals: Type.Array(Signal, { maxItems: 1 }), ...scale }),
  table: strict({ signals, ...scale }),
  alarmList: strict({
    assetIds: Type.Optional(Type.Array(SuppliedId, { maxItems: 100 })),
    variable: Type.Optional(Variable),
    alarmIds: Type.Optional(Type.Array(Uuid, { maxItems: 100 })),
    minSeverity: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })),
    history: Type.Optional(Type.Boolean()),
  }),
  commandButton: strict({
    assetId: Type.Optional(SuppliedId),
    variable: Type.Optional(Variable),
    componentId: Type.Optional(Type.Union([Text, Type.Null()])),
    commandName: Text,
    payload: Type.Optional(Type.Unknown()),
    label: Type.Optional(Text),
    confirm: Type.Optional(Type.Boolean()),
  }),
  propertyInput: strict({
    assetId: Type.Optional(SuppliedId),
    variable: Type.Optional(Variable),
    componentId: Type.Optional(Type.Union([Text, Type.Null()])),
    name: Text,
    label: Type.Optional(Text),
  }),
  map: strict({
    /** A floor plan; without one, markers are placed by latitude and longitude. */
    resourceId: Type.Optional(Uuid),
    markers: Type.Optional(Type.Array(Marker, { maxItems: 500 })),
    signals: Type.Optional(signals),
  }),
  image: strict({
    resourceId: Uuid,
    fit: Type.Optional(Type.Enum(['contain', 'cover'])),
    alt: Type.Optional(Type.String({ maxLength: 256 })),
  }),
  /** Another dashboard in the place of the widget. */
  dashboard: strict({ dashboardId: Uuid }),
  text: strict({ text: Type.String({ maxLength: 20_000 }) }),
  /** The heading of what stands below it, up to the next section. */
  section: strict({ collapsed: Type.Optional(Type.Boolean()) }),
} satisfies Record<string, TSchema>

export type WidgetKind = keyof typeof optionsOfKind
export const widgetKinds = Object.keys(optionsOfKind) as WidgetKind[]

const cells = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum })

const WidgetId = Type.String({ pattern: '^[A-Za-z0-9._-]{1,64}$' })

/** A widget whose options are checked by its kind. */
export const Widget = strict({
  id: WidgetId,
  kind: Type.Enum(widgetKinds),
  title: Type.Optional(Type.String({ maxLength: 256 })),
  tab: Type.Optional(WidgetId),
  position: strict({ x: cells(0, 23), y: cells(0, 9999), w: cells(1, 24), h: cells(1, 200) }),
  options: Type.Object({}),
})

/** Additional fields belong to the client. Each widget is checked by itself, as a `Widget`. */
export const DashboardData = Type.Object({
  version: Type.Literal(1),
  /** The columns of the grid; 12 if absent. */
  columns: Type.Optional(Type.Union([Type.Literal(12), Type.Literal(24)])),
  widgets: Type.Array(Type.Unknown(), { maxItems: 200 }),
})
