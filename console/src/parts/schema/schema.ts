/** Data types of models (DTDL) as `GET /v1/models/{modelId}/asset` returns them, and the validation of values. */

const simpleTypes = [
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
type SimpleType = (typeof simpleTypes)[number]

/** A text by language tag. */
export type LocalText = Record<string, string>

export interface SchemaField {
  name: string
  displayName: LocalText
  unit: string | null
  schema: DataSchema
}

export type DataSchema =
  | { type: SimpleType }
  | { type: 'array'; element: DataSchema }
  | { type: 'enum'; values: { name: string; displayName: LocalText; value: number | string }[] }
  | { type: 'map'; value: DataSchema }
  | { type: 'object'; fields: SchemaField[] }
  /** GeoJSON types, and types of later versions. */
  | { type: 'other'; name: string }

/** @param raw a schema as the API answers it; its type there is an object without known fields */
export function readSchema(raw: unknown): DataSchema {
  const { type, element, values, value, fields } = raw as Record<string, unknown>
  if (simpleTypes.some((simple) => simple === type)) return { type: type as SimpleType }
  if (type === 'array') return { type, element: readSchema(element) }
  if (type === 'enum') return { type, values: values as never }
  if (type === 'map') return { type, value: readSchema(value) }
  if (type === 'object')
    return {
      type,
      fields: (fields as SchemaField[]).map((field) => ({ ...field, schema: readSchema(field.schema) })),
    }
  return { type: 'other', name: String(type) }
}

/** The text in the given language, then in English, then in any language. */
export const localText = (text: LocalText | undefined, language: string): string | undefined =>
  text?.[language] ?? text?.en ?? Object.values(text ?? {})[0]

/** Problems by the path below the value, such as `.limits.high`; the root is ''. */
export type SchemaProblems = Record<string, SchemaProblem>
export type SchemaProblem =
  | 'notBoolean'
  | 'notNumber'
  | 'notWhole'
  | 'notInteger'
  | 'notLong'
  | 'notText'
  | 'notOption'
  | 'notDate'
  | 'notDateTime'
  | 'notTime'
  | 'notDuration'
  | 'notObject'
  | 'notList'

/**
 * Finds values that the server would refuse, and integers out of range, which devices would truncate. A missing field
 * is no problem.
 */
export function findSchemaProblems(schema: DataSchema, value: unknown, path = ''): SchemaProblems {
  switch (schema.type) {
    case 'array':
      if (!Array.isArray(value)) return { [path]: 'notList' }
      return merge(value.map((item, index) => findSchemaProblems(schema.element, item, `${path}[${index}]`)))
    case 'map':
      if (!isObject(value)) return { [path]: 'notObject' }
      return merge(
        Object.entries(value).map(([key, item]) => findSchemaProblems(schema.value, item, `${path}.${key}`)),
      )
    case 'object':
      if (!isObject(value)) return { [path]: 'notObject' }
      return merge(
        schema.fields
          .filter(({ name }) => Object.hasOwn(value, name))
          .map((field) => findSchemaProblems(field.schema, value[field.name], `${path}.${field.name}`)),
      )
    case 'enum':
      return schema.values.some((option) => option.value === value) ? {} : { [path]: 'notOption' }
    case 'other':
      return {}
    default: {
      const problem = checks[schema.type](value)
      return problem === undefined ? {} : { [path]: problem }
    }
  }
}

const merge = (problems: SchemaProblems[]): SchemaProblems => Object.assign({}, ...problems)

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const matches = (pattern: RegExp, problem: SchemaProblem) => (value: unknown) =>
  typeof value === 'string' && pattern.test(value) ? undefined : problem

function wholeBetween(least: number, most: number, problem: SchemaProblem) {
  return (value: unknown): SchemaProblem | undefined => {
    if (typeof value !== 'number' || !Number.isInteger(value)) return 'notWhole'
    return value >= least && value <= most ? undefined : problem
  }
}

const isNumber = (value: unknown) => (Number.isFinite(value) ? undefined : 'notNumber')
const DATE = '\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])'
const TIME = '([01]\\d|2[0-3]):[0-5]\\d:([0-5]\\d|60)(\\.\\d+)?'
const ZONE = '(Z|[+-]([01]\\d|2[0-3]):[0-5]\\d)'

const checks: Record<SimpleType, (value: unknown) => SchemaProblem | undefined> = {
  boolean: (value) => (typeof value === 'boolean' ? undefined : 'notBoolean'),
  date: matches(new RegExp(`^${DATE}$`), 'notDate'),
  dateTime: matches(new RegExp(`^${DATE}T${TIME}${ZONE}$`), 'notDateTime'),
  double: isNumber,
  duration: matches(
    /^-?P(?=.)(\d+(\.\d+)?Y)?(\d+(\.\d+)?M)?(\d+(\.\d+)?W)?(\d+(\.\d+)?D)?(T(?=.)(\d+(\.\d+)?H)?(\d+(\.\d+)?M)?(\d+(\.\d+)?S)?)?$/,
    'notDuration',
  ),
  float: isNumber,
  integer: wholeBetween(-(2 ** 31), 2 ** 31 - 1, 'notInteger'),
  long: wholeBetween(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 'notLong'),
  string: (value) => (typeof value === 'string' ? undefined : 'notText'),
  time: matches(new RegExp(`^${TIME}${ZONE}?$`), 'notTime'),
}
