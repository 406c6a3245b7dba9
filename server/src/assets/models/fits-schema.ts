/** Decides whether values fit a DTDL schema. (DTDL reference, Schema) */
import { isObject } from './dtdl/document.ts'
import type { DataSchema } from './dtdl/model.ts'
import { enumValues, fieldsByName } from './schema-index.ts'

type SimpleType = Exclude<DataSchema['type'], 'array' | 'enum' | 'map' | 'object'>

/** Whether a JSON value fits the schema. An object may omit fields of its schema and may have others. */
export function fitsSchema(schema: DataSchema, value: unknown): boolean {
  switch (schema.type) {
    case 'array':
      return Array.isArray(value) && value.every((item) => fitsSchema(schema.element, item))
    case 'enum':
      return enumValues(schema).has(value)
    case 'map':
      return isObject(value) && Object.values(value).every((item) => fitsSchema(schema.value, item))
    case 'object':
      return (
        isObject(value) &&
        Object.entries(value).every(([name, item]) => {
          const field = fieldsByName(schema).get(name)
          return !field || fitsSchema(field.schema, item)
        })
      )
    default:
      return simpleChecks[schema.type](value)
  }
}

const isFinite = (value: unknown) => Number.isFinite(value)
const isWhole = (value: unknown) => Number.isInteger(value)
const isText = (pattern: RegExp) => (value: unknown) =>
  typeof value === 'string' && value.length <= 64 && pattern.test(value)

const DATE = '\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])'
const TIME = '([01]\\d|2[0-3]):[0-5]\\d:([0-5]\\d|60)(\\.\\d+)?'
const ZONE = '(Z|[+-]([01]\\d|2[0-3]):[0-5]\\d)'
const isDate = isText(new RegExp(`^${DATE}$`))
const isDateTime = isText(new RegExp(`^${DATE}T${TIME}${ZONE}$`))
const DURATION =
  /^-?P(?=.)(\d+(\.\d+)?Y)?(\d+(\.\d+)?M)?(\d+(\.\d+)?W)?(\d+(\.\d+)?D)?(T(?=.)(\d+(\.\d+)?H)?(\d+(\.\d+)?M)?(\d+(\.\d+)?S)?)?$/

/** Refuses 31 April, which the pattern accepts and JavaScript reads as 1 May. */
function isCalendarDay(value: unknown): boolean {
  const day = new Date(`${(value as string).slice(0, 10)}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith((value as string).slice(0, 10))
}

const simpleChecks: Record<SimpleType, (value: unknown) => boolean> = {
  boolean: (value) => typeof value === 'boolean',
  date: (value) => isDate(value) && isCalendarDay(value),
  dateTime: (value) => isDateTime(value) && isCalendarDay(value),
  double: isFinite,
  duration: isText(DURATION),
  float: isFinite,
  integer: isWhole,
  long: isWhole,
  string: (value) => typeof value === 'string',
  time: isText(new RegExp(`^${TIME}${ZONE}?$`)),
  point: isGeometry('Point', 1),
  lineString: isGeometry('LineString', 2),
  multiPoint: isGeometry('MultiPoint', 2),
  multiLineString: isGeometry('MultiLineString', 3),
  polygon: isGeometry('Polygon', 3),
  multiPolygon: isGeometry('MultiPolygon', 4),
}

/** @param depth the nesting depth of the coordinate lists (RFC 7946) */
function isGeometry(type: string, depth: number) {
  return (value: unknown) =>
    isObject(value) && value.type === type && areCoordinates(value.coordinates, depth)
}

const areCoordinates = (value: unknown, depth: number): boolean =>
  Array.isArray(value) &&
  (depth === 1
    ? value.length >= 2 && value.length <= 4 && value.every(isFinite)
    : value.every((item) => areCoordinates(item, depth - 1)))
