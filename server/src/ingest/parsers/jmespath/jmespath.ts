/**
 * Parses JSON payloads that `options.expression` reshapes into the telemetry object, or into an array of telemetry
 * objects with a `timestamp` each. Expressions and payloads come from different people, so `expression.ts` limits the
 * work.
 */
import jmespath from 'jmespath'
import Type from 'typebox'
import { validationError } from '../../../http/errors.ts'
import { isTooDeep, MAX_JSON_DEPTH } from '../../../lib/json-limits.ts'
import { parseJson, printable } from '../../json-object.ts'
import { UnreadableError } from '../../unreadable.ts'
import { collectReadings } from '../collect-readings.ts'
import { format, type Parser, type Reading } from '../parser.ts'
import { readObject } from '../read-object.ts'
import { bare, plain } from './bare-data.ts'
import { ExpressionError, rateExpression } from './expression.ts'

const MAX_EXPRESSION_LENGTH = 4096
/** Limit of bytes that an expression reads; they hold the event loop for about 50 ms at most. */
const MAX_WORK = 2_000_000
/** Every expression must be usable with payloads up to this size. */
const SMALL_PAYLOAD_BYTES = 1000

export const jmespathFormat = format({
  options: Type.Object(
    {
      expression: Type.String({
        minLength: 1,
        maxLength: MAX_EXPRESSION_LENGTH,
        description: 'JMESPath, of the payload',
      }),
    },
    { additionalProperties: false },
  ),
  example: {
    payload: '{"readings": [{"at": "2026-01-31T08:00:00Z", "value": 21.5}]}',
    options: { expression: 'readings[].{timestamp: at, temperature: value}' },
  },
  compile: ({ expression }, path) => parserOfExpression(expression, `${path}.expression`),
})

function parserOfExpression(expression: string, path: string): Parser {
  const work = usableWork(expression, path)
  return (payload) => {
    if (work * payload.length > MAX_WORK)
      throw new UnreadableError(
        'too_much_work',
        'The payload is too large for this expression. Divide the one, or simplify the other.',
      )
    const data = parseJson(payload)
    if (isTooDeep(data))
      throw new UnreadableError('bad_value', `The payload nests deeper than ${MAX_JSON_DEPTH} levels.`)
    return collectResult(evaluate(expression, data))
  }
}

function usableWork(expression: string, path: string): number {
  try {
    const work = rateExpression(expression)
    if (work * SMALL_PAYLOAD_BYTES <= MAX_WORK) return work
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    throw validationError({ path, message: error.message })
  }
  throw validationError({ path, message: 'may multiply what it is given too often; repeat less of it' })
}

/** The library cannot run compiled expressions; parsing an expression again costs microseconds. */
function evaluate(expression: string, data: unknown): unknown {
  try {
    return plain(jmespath.search(bare(data), expression))
  } catch (error) {
    const { message } = error as Error
    throw new UnreadableError('bad_format', `The expression fails on this payload: ${printable(message)}.`)
  }
}

function collectResult(result: unknown): Reading[] {
  const objects = Array.isArray(result) ? result : [result]
  const { add, readings } = collectReadings()
  for (const object of objects) {
    if (typeof object !== 'object' || object === null || Array.isArray(object))
      throw new UnreadableError(
        'not_an_object',
        'The expression must give an object of names and values, or an array of them.',
      )
    const { timeMs, names, values } = readObject(object as Record<string, unknown>)
    names.forEach((name, index) => add(name, values[index], { timeMs }))
  }
  return readings
}
