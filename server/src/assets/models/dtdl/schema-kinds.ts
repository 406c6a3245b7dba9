/** Kinds of schemas, and those that IoT Central adds. */
import type { DataSchema, Field } from './data-schema.ts'

/** GeoJSON geometries. */
export const geometries = [
  'lineString',
  'multiLineString',
  'multiPoint',
  'multiPolygon',
  'point',
  'polygon',
] as const

const double = (name: string): Field => ({
  name,
  displayName: {},
  description: {},
  unit: null,
  schema: { type: 'double' },
})
export const vector: DataSchema = { type: 'object', fields: ['x', 'y', 'z'].map(double) }
export const geopoint: DataSchema = { type: 'object', fields: ['lat', 'lon', 'alt'].map(double) }

export const isGeometry = ({ type }: DataSchema): boolean => geometries.some((one) => one === type)
export const isNumber = ({ type }: DataSchema): boolean =>
  ['double', 'float', 'integer', 'long'].includes(type)
export const holdsText = ({ type }: DataSchema): boolean => type === 'string'
export const isEnum = ({ type }: DataSchema): boolean => type === 'enum'
