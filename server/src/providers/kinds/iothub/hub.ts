/** Client of an IoT Hub's service REST API: signs requests, retries throttled ones and converts errors. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../../context.ts'
import { ApiError } from '../../../http/errors.ts'
import { OutboundError, type OutboundAnswer, type OutboundRequest } from '../../../lib/outbound.ts'
import type { ClientRef } from '../../clients/store.ts'
import { getProvider } from '../../store.ts'
import { isProperties } from '../../twin/merge-patch.ts'
import { baseUrl, type HubConnection } from './connection-string.ts'
import { openConnection } from './connection.ts'
import { targetPath, type Target } from './paths.ts'
import { toApiError } from './hub-errors.ts'
import { retryAfterMs } from './retry-after.ts'
import { sasToken } from './sas-token.ts'

const API_VERSION = '2021-04-12'
const MAX_TRIES = 4
/** The sum of all pauses, because a caller is waiting for the answer. */
const MAX_PAUSES_MS = 20_000

interface HubRequest {
  method: OutboundRequest['method']
  kind: 'devices' | 'twins'
  target: Target
  /** A suffix of the path, such as `/methods`. */
  action?: string
  body?: object
  /** An etag of the hub, or `*`. */
  ifMatch?: string
  timeoutMs?: number
}

export interface HubAnswer {
  status: number
  /** The body; an empty object if the body is empty, or an error without a JSON body. */
  json: Record<string, unknown>
  text: string
}

export interface Hub {
  hostName: string
  /**
   * @param expected statuses that the caller handles, in addition to success
   * @throws provider_unavailable, provider_rejected, conflict
   */
  send(request: HubRequest, expected?: number[]): Promise<HubAnswer>
}

/** @throws not_found for the provider; conflict when it has no connection string */
export async function openHub(
  ctx: Context,
  { tenantId, providerId }: Omit<ClientRef, 'clientId'>,
): Promise<Hub> {
  const connection = openConnection(ctx.sealer, await getProvider(ctx.db, tenantId, providerId))
  const { hostName } = connection
  return {
    hostName,
    send: async (request, expected = []) => {
      const { status, text } = await sendWithRetries(ctx, connection, request)
      const answer = { status, json: parseJson(text), text }
      if (status >= 300 && !expected.includes(status)) throw toApiError(answer, request.target)
      if (status < 300 && !answer.json)
        throw new ApiError(
          'provider_unavailable',
          `${hostName} does not answer like an IoT Hub. Check its name.`,
        )
      return { ...answer, json: answer.json ?? {} }
    },
  }
}

/** Retries throttled requests. A throttled request had no effect, so even a method can be sent again. */
async function sendWithRetries(
  ctx: Context,
  connection: HubConnection,
  request: HubRequest,
): Promise<OutboundAnswer> {
  let pausedMs = 0
  for (let tries = 1; ; tries++) {
    const answer = await sendOnce(ctx, connection, request)
    if (answer.status !== 429) return answer
    const pauseMs = retryAfterMs(answer.headers['retry-after'], tries)
    if (tries === MAX_TRIES || pausedMs + pauseMs > MAX_PAUSES_MS)
      throw new ApiError(
        'provider_unavailable',
        'IoT Hub is throttling requests. Try again later, or add units to the hub.',
        {},
        pauseMs / 1000,
      )
    await sleep(pauseMs)
    pausedMs += pauseMs
  }
}

async function sendOnce(
  { outbound }: Context,
  connection: HubConnection,
  { method, kind, target, action = '', body, ifMatch, timeoutMs }: HubRequest,
): Promise<OutboundAnswer> {
  const path = targetPath(kind, target) + action
  try {
    return await outbound.send({
      method,
      url: `${baseUrl(connection)}${path}?api-version=${API_VERSION}`,
      headers: {
        authorization: sasToken(connection),
        ...(body && { 'content-type': 'application/json; charset=utf-8' }),
        ...(ifMatch && { 'if-match': ifMatch === '*' ? '*' : `"${ifMatch}"` }),
      },
      body: body && JSON.stringify(body),
      timeoutMs,
    })
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw new ApiError('provider_unavailable', `IoT Hub ${connection.hostName} ${error.message}. Try again.`)
  }
}

/** @returns an empty object for an empty body; undefined if the text is not a JSON object */
function parseJson(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text || '{}')
    return isProperties(value) ? value : undefined
  } catch {
    return undefined
  }
}
