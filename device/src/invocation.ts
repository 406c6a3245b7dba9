import { parseJsonObject } from './json.ts'
import { isTopicLevel } from './topics.ts'

/** What the platform publishes on `devices/{id}/methods/{name}/invoke`. */
export interface Invocation {
  correlationId: string
  payload: unknown
  /** How long the caller waits; null if the invocation does not contain it. */
  timeoutSeconds: number | null
}

/** The invocation in an MQTT payload, or null if it cannot be answered. */
export function parseInvocation(payload: Buffer): Invocation | null {
  const body = parseJsonObject(payload.toString('utf8'))
  const correlationId = body?.correlationId
  if (typeof correlationId !== 'string' || !isTopicLevel(correlationId)) return null
  const timeoutSeconds = typeof body?.timeoutSeconds === 'number' ? body.timeoutSeconds : null
  return { correlationId, payload: body?.payload ?? null, timeoutSeconds }
}
