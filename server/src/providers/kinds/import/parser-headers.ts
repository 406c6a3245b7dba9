/** Reads the parser that an import request names in its headers. [docs/providers#payload-parsers] */
import type { IncomingHttpHeaders } from 'node:http'
import { validationError } from '../../../http/errors.ts'
import { refuseUnstorable } from '../../../http/validate.ts'

export const PARSER_HEADER = 'X-Provider-Parser'
const OPTIONS_HEADER = `${PARSER_HEADER}-Options`

/**
 * @returns `{name, options}`, both unchecked; undefined if the request names no parser
 * @throws validation_error for options that are not JSON, or are sent without a parser
 */
export function readParserHeaders(
  headers: IncomingHttpHeaders,
): { name: string; options?: unknown } | undefined {
  const name = headers[PARSER_HEADER.toLowerCase()] as string | undefined
  const options = headers[OPTIONS_HEADER.toLowerCase()] as string | undefined
  if (name === undefined && options === undefined) return undefined
  if (name === undefined)
    throw validationError({ path: OPTIONS_HEADER, message: `requires the header ${PARSER_HEADER}` })
  return options === undefined ? { name } : { name, options: parseJson(options) }
}

function parseJson(text: string): unknown {
  const value = parse(text)
  refuseUnstorable(value, OPTIONS_HEADER)
  return value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw validationError({ path: OPTIONS_HEADER, message: 'must be JSON' })
  }
}
