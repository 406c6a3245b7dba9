/**
 * Shows the samples or the dead letter that a payload would become, without storing anything.
 * [docs/providers#payload-parsers]
 */
import type { Context } from '../../context.ts'
import { validationError } from '../../http/errors.ts'
import { readPayload } from '../read-payload.ts'
import type { TryParser } from './schema.ts'
import { UnreadableError } from '../unreadable.ts'

/** The same limit as for devices. [docs/mqtt#limits] */
const MAX_PAYLOAD_BYTES = 1024 * 1024

/**
 * @returns the samples as they would be stored now, or the dead letter that the payload would become
 * @throws validation_error for the parser, its options or the encoding of the payload
 */
export const tryParser = (ctx: Context, { payload, encoding = 'utf8', ...spec }: TryParser) =>
  tryParserOnBytes(ctx, spec, decodePayload(payload, encoding))

/** The same for the bytes of a stored payload. @param nowMs the time of samples whose payload has none */
export function tryParserOnBytes(
  ctx: Context,
  { parser, options }: Pick<TryParser, 'parser' | 'options'>,
  payload: Buffer,
  nowMs = Date.now(),
) {
  const parse = ctx.parsers.of({ name: parser, options }, '')
  try {
    const readings = readPayload(parse, payload)
    const samples = readings.flatMap(({ timeMs, ageMs = 0, names, values, units }) => {
      const timestamp = new Date(timeMs ?? nowMs - ageMs).toISOString()
      return names.map((name, index) => ({
        name,
        value: values[index],
        timestamp,
        unit: units?.[index] ?? null,
      }))
    })
    return { samples: samples.filter(({ value }) => value !== null), deadLetter: null }
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error
    return { samples: [], deadLetter: { reason: error.reason, message: error.message } }
  }
}

function decodePayload(payload: string, encoding: 'utf8' | 'base64'): Buffer {
  const bytes = Buffer.from(payload, encoding)
  if (encoding === 'base64' && bytes.toString('base64').replaceAll('=', '') !== payload.replaceAll('=', ''))
    throw validationError({ path: 'payload', message: 'must be base64, as encoding says' })
  if (bytes.length > MAX_PAYLOAD_BYTES)
    throw validationError({ path: 'payload', message: `must have at most ${MAX_PAYLOAD_BYTES} bytes` })
  return bytes
}
