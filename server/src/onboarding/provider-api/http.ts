/** The Provider API over HTTP. The provider is not trusted: each answer is bounded, timed and validated. */
import Type, { type Static, type TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { isTooDeep } from '../../lib/json-limits.ts'
import { type Outbound, OutboundError, type OutboundRequest } from '../../lib/outbound.ts'
import type { ProviderApi } from './provider-api.ts'
import {
  noSuchClient,
  providerRejected,
  errorFromStatus,
  providerUnavailable,
  cleanReason,
} from './provider-errors.ts'
import { validateAll } from './validate-all.ts'

const TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 64 * 1024

const Verdict = Type.Object({
  valid: Type.Boolean(),
  error: Type.Optional(Type.Unknown()),
  message: Type.Optional(Type.Unknown()),
})
const DeviceKey = Type.String({ minLength: 1, maxLength: 4096 })
const Keys = Type.Object({ primaryKey: DeviceKey, secondaryKey: DeviceKey })

export function httpProviderApi(
  outbound: Outbound,
  baseUrl: string,
  apiKey: string,
  { timeoutMs = TIMEOUT_MS } = {},
): ProviderApi {
  const call = (method: OutboundRequest['method'], path: string, body?: object) =>
    send(outbound, {
      method,
      url: `${baseUrl.replace(/\/+$/, '')}${path}`,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${apiKey}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body && JSON.stringify(body),
      timeoutMs,
      maxAnswerBytes: MAX_ANSWER_BYTES,
    })

  return {
    isRemote: true,
    validate: (deviceIds) =>
      validateAll(deviceIds, async (id) => {
        const answer = await call('POST', '/clients/validate', { id })
        if (answer.status !== 200) throw errorFromStatus(answer.status)
        const { valid, message } = readShape(Verdict, answer.text)
        if (!valid)
          throw providerRejected(
            cleanReason(message) ?? 'The provider refuses the device and does not say why.',
          )
      }),

    async createClient(id) {
      const { status } = await call('POST', '/clients', { id, displayName: id, enabled: true })
      if (status === 409) return { created: false }
      if (status === 201 || status === 200) return { created: true }
      throw errorFromStatus(status)
    },

    async credentials(id) {
      const answer = await call('GET', `/clients/${encodeURIComponent(id)}/credentials`)
      if (answer.status === 404) throw noSuchClient(id)
      if (answer.status !== 200) throw errorFromStatus(answer.status)
      return readShape(Keys, answer.text)
    },
  }
}

async function send(outbound: Outbound, request: OutboundRequest) {
  try {
    return await outbound.send(request)
  } catch (error) {
    if (error instanceof OutboundError)
      throw providerUnavailable(`${error.message}.`, error.isUnanswered ? 'outage' : 'other')
    throw error
  }
}

/** @throws provider_unavailable unless the text is JSON of this shape */
function readShape<T extends TSchema>(schema: T, text: string): Static<T> {
  const value = parseJson(text)
  if (isTooDeep(value) || !Value.Check(schema, value))
    throw providerUnavailable(
      'does not answer like the Provider API. Check provider_base_url of the routing target.',
    )
  return value
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
