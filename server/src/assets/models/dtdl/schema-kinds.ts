/** Kinds of schemas, and those that IoT Central adds. */
import { type DataSchema, type Field, geometries } from './model.ts'

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
