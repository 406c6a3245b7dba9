/** What is read of a DTDL interface: its contents, and the types of their data. */
import type { LocalText, Named } from './names.ts'

export interface Interface {
  id: string
  displayName: LocalText
  description: LocalText
  /** The models whose contents it has, too. */
  extends: string[]
  contents: Content[]
  /** Characters, with the schemas that it names. */
  size: number
}

interface Telemetry extends Field {
  kind: 'telemetry'
}
export interface Property extends Field {
  kind: 'property'
  writable: boolean
}
export interface Command extends Named {
  kind: 'command'
  request: Payload | null
  response: Payload | null
}
export interface Payload extends Field {
  nullable: boolean
}
export interface Component extends Named {
  kind: 'component'
  /** Whose contents it has. */
  modelId: string
  /** The component's model, if it is defined inline; null if `modelId` refers to another model. */
  inline: Interface | null
}
export interface Relationship extends Named {
  kind: 'relationship'
  /** The model that it leads to; any where null. */
  target: string | null
  maxMultiplicity: number | null
  writable: boolean
  properties: Property[]
}
export type Content = Telemetry | Property | Command | Component | Relationship

export const primitives = [
  'boolean',
  'date',
  'dateTime',
  'double',
  'duration',
  'float',
  'integer',
  'long',
  'string',
  'time',
] as const
/** GeoJSON geometries. */
export const geometries = [
  'lineString',
  'multiLineString',
  'multiPoint',
  'multiPolygon',
  'point',
  'polygon',
] as const

export type SimpleType = (typeof primitives)[number] | (typeof geometries)[number]

export type DataSchema =
  | { type: SimpleType }
  | { type: 'array'; element: DataSchema }
  | { type: 'enum'; valueType: 'integer' | 'string'; values: EnumValue[] }
  | { type: 'map'; keyName: string; valueName: string; value: DataSchema }
  | { type: 'object'; fields: Field[] }

export interface EnumValue extends Named {
  value: number | string
}

/** Something named that has a type: a field, a signal, a payload. */
export interface Field extends Named {
  schema: DataSchema
  /** Such as `degreeCelsius`. */
  unit: string | null
}
