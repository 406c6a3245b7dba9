import { parseJson } from '../../ingest/json-object.ts'
import { UnreadableError } from '../../ingest/unreadable.ts'
import type { MethodResponse } from '../../providers/pending-methods.ts'

/** A response is `{status, payload}`, status an integer. An absent payload is null. [docs/mqtt#direct-methods] */
export function readMethodResponse(payload: Buffer): MethodResponse | UnreadableError {
  try {
    const response = parseJson(payload)
    if (isResponse(response)) return { status: response.status, payload: response.payload ?? null }
    return new UnreadableError(
      'bad_method_response',
      'A response is {"status": integer, "payload": any JSON}.',
    )
  } catch (error) {
    if (error instanceof UnreadableError) return error
    throw error
  }
}

const isResponse = (value: unknown): value is { status: number; payload?: unknown } =>
  typeof value === 'object' && value !== null && 'status' in value && Number.isInteger(value.status)
