/**
 * HTTP requests to addresses that users enter: providers and webhooks. The address is checked at the connection, after
 * name resolution, so that a name cannot lead to an internal address; redirects are not followed; answers are limited in
 * size. [docs/operating#outbound-calls]
 */
import { lookup as resolveName } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, request } from 'undici'
import { type AllowRules, isAllowedAddress, parseAllowRules } from './outbound-addresses.ts'

export interface OutboundRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  headers?: Record<string, string>
  body?: string
  timeoutMs?: number
  maxAnswerBytes?: number
}

export interface OutboundAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

export interface Outbound {
  /** @throws OutboundError, whose message can be shown: it never contains an internal address */
  send(request: OutboundRequest): Promise<OutboundAnswer>
  close(): Promise<void>
}

export class OutboundError extends Error {
  /** @param isUnanswered whether the receiver could not be reached, or did not answer in time */
  constructor(
    message: string,
    readonly isUnanswered = false,
  ) {
    super(message)
  }
}

const DEFAULT_TIMEOUT_MS = 10_000
const DEFAULT_MAX_ANSWER_BYTES = 1024 * 1024

/** @param allow hosts and addresses that are allowed besides public ones, for `parseAllowRules` */
export function createOutbound(allow: string[]): Outbound {
  const rules = parseAllowRules(allow)
  const agent = new Agent({
    connect: { lookup: checkedLookup(rules), timeout: 5000 },
    connections: 64,
    // Each call has its own timeout, which may be longer than undici's.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    send: (outgoing) => send(agent, rules, outgoing),
    close: () => agent.close(),
  }
}

async function send(agent: Agent, rules: AllowRules, outgoing: OutboundRequest): Promise<OutboundAnswer> {
  const url = checkedUrl(outgoing.url, rules)
  const signal = AbortSignal.timeout(outgoing.timeoutMs ?? DEFAULT_TIMEOUT_MS)
  try {
    const { method, headers, body } = outgoing
    // undici's request() does not follow redirects: a 3xx is an ordinary answer.
    const response = await request(url, { method, headers, body, dispatcher: agent, signal })
    const text = await boundedText(response.body, outgoing.maxAnswerBytes ?? DEFAULT_MAX_ANSWER_BYTES)
    return { status: response.statusCode, headers: response.headers, text }
  } catch (error) {
    throw asOutboundError(error as Error & { code?: string })
  }
}

async function boundedText(body: AsyncIterable<Buffer> & { destroy(): void }, maxBytes: number) {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) {
      body.destroy()
      throw new OutboundError(`answered more than ${maxBytes} bytes`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function asOutboundError(error: Error & { code?: string; cause?: unknown }): OutboundError {
  if (error instanceof OutboundError) return error
  if (error.cause instanceof OutboundError) return error.cause
  if (error.name === 'TimeoutError' || error.name === 'AbortError')
    return new OutboundError('did not answer in time', true)
  return new OutboundError(`could not be reached (${error.code ?? error.name})`, true)
}

function checkedUrl(text: string, rules: AllowRules): URL {
  if (!URL.canParse(text)) throw new OutboundError('is not a URL')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new OutboundError('is not an http or https URL')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // An IP address needs no look-up, so it is checked here.
  if (isIP(host) && !isAllowedAddress(host, rules)) throw notAllowed()
  return url
}

const notAllowed = () =>
  new OutboundError('has an address that is not public; list it in GANGWAY_OUTBOUND_ALLOW to allow it')

function checkedLookup(rules: AllowRules): LookupFunction {
  return (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0)
      const allowed = rules.hosts.has(hostname.toLowerCase())
        ? addresses
        : addresses.filter(({ address }) => isAllowedAddress(address, rules))
      const first = allowed[0]
      if (!first) return callback(notAllowed(), '', 0)
      if (options.all) return callback(null, allowed as never, 0)
      callback(null, first.address, first.family)
    })
  }
}
