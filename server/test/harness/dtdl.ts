/** DTDL documents for tests, and the problems that reading them finds. */
import { readInterface } from '../../src/assets/models/dtdl/interface.ts'
import { ApiError, type Issue } from '../../src/http/errors.ts'

export const pump = (fields: object, version = 3) => ({
  '@context': `dtmi:dtdl:context;${version}`,
  '@id': 'dtmi:com:example:Pump;1',
  '@type': 'Interface',
  ...fields,
})
/** An interface with this one content. */
export const having = (content: object, version = 3) => pump({ contents: [content] }, version)
export const telemetry = (schema: unknown, fields: object = {}) => ({
  '@type': 'Telemetry',
  name: 't',
  schema,
  ...fields,
})
/** Arrays in arrays. */
export const nested = (depth: number): unknown =>
  depth === 0 ? 'double' : { '@type': 'Array', elementSchema: nested(depth - 1) }

/** Nothing for a document that can be read. */
export function readIssues(definition: unknown): Issue[] {
  try {
    readInterface(definition)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return error.details.issues as Issue[]
  }
  return []
}

export const quantities = ['dtmi:dtdl:context;3', 'dtmi:dtdl:extension:quantitativeTypes;1']
export const temperature = {
  '@type': ['Telemetry', 'Temperature'],
  name: 't',
  schema: 'double',
  unit: 'degreeCelsius',
}
