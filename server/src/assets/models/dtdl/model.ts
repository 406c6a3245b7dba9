/** A DTDL interface as it is read: its contents and their data types. */
import type { LocalText, Named } from './names.ts'

export interface Interface {
  id: string
  displayName: LocalText
  description: LocalText
  /** The models whose contents it inherits. */
  extends: string[]
  contents: Content[]
  /** The number of characters, including the schemas that it uses. */
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
  /** The model whose contents the component has. */
  modelId: string
  /** The component's model, if it is defined inline; null if `modelId` refers to another model. */
  inline: Interface | null
}
export interface Relationship extends Named {
  kind: 'relationship'
  /** The target model; null means any. */
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

/** A named value with a type: a field, a signal or a payload. */
export interface Field extends Named {
  schema: DataSchema
  /** Such as `degreeCelsius`. */
  unit: string | null
}
