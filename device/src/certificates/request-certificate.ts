import type { X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { request as sendRequest } from 'node:https'
import { retryAfterMs } from '../retry-after.ts'
import type { TlsOptions } from '../session.ts'
import { readCertificates } from './certificates-only.ts'
import { EnrollmentError } from './enrollment-error.ts'

const MAX_ANSWER_BYTES = 256 * 1024

export interface CertificateRequest {
  /** The EST operation, such as `…/simpleenroll`. */
  url: URL
  /** PKCS#10 in DER. */
  request: Buffer
  /** `user:password` of Basic credentials. */
  basic?: string
  /** The trusted authorities, and the client certificate where the device signs in with one. */
  tls: TlsOptions
  timeoutMs: number
  signal: AbortSignal | undefined
  nowMs: number
}

/** Outcome of a request: the certificates, a permanent error, or a temporary failure. */
export type CertificateAnswer =
  | { kind: 'certificates'; status: number; certificates: X509Certificate[] }
  | { kind: 'refused'; error: EnrollmentError }
  | { kind: 'retry'; status: number | null; code: string; message: string; retryAfterMs: number | null }

interface Response {
  status: number
  retryAfter: string | null
  text: string
}

/** Sends one certificate request to an EST server. Rejects only if the caller's signal aborted. */
export async function requestCertificate(request: CertificateRequest): Promise<CertificateAnswer> {
  const { signal, timeoutMs } = request
  const limit = new AbortController()
  const onAbort = () => limit.abort(signal?.reason)
  const timer = setTimeout(() => limit.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
  signal?.addEventListener('abort', onAbort, { once: true })
  if (signal?.aborted) onAbort()
  try {
    return readAnswer(await send(request, limit.signal), request.nowMs)
  } catch (error) {
    signal?.throwIfAborted()
    const { message } = (limit.signal.aborted ? limit.signal.reason : error) as Error
    return { kind: 'retry', status: null, code: 'network_error', message, retryAfterMs: null }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

function send({ url, request, basic, tls }: CertificateRequest, signal: AbortSignal): Promise<Response> {
  const body = Buffer.from(request.toString('base64'))
  return new Promise((resolve, reject) => {
    const sent = sendRequest(url, {
      method: 'POST',
      ...tls,
      // A connection of its own: a kept one could carry the identity of the previous certificate.
      agent: false,
      signal,
      headers: {
        'content-type': 'application/pkcs10',
        'content-transfer-encoding': 'base64',
        'content-length': body.length,
        ...(basic !== undefined && { authorization: `Basic ${Buffer.from(basic).toString('base64')}` }),
      },
    })
    sent.on('error', reject)
    sent.on('response', (answer) => readResponse(answer).then(resolve, reject))
    sent.end(body)
  })
}

async function readResponse(answer: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`)
    chunks.push(chunk)
  }
  return {
    status: answer.statusCode ?? 0,
    retryAfter: answer.headers['retry-after'] ?? null,
    text: Buffer.concat(chunks).toString('utf8'),
  }
}

function readAnswer({ status, retryAfter, text }: Response, nowMs: number): CertificateAnswer {
  if (status === 200) return readIssued(text)
  const { code, message } = readError(status, text)
  // 202: the request is accepted and waits for an approval. [RFC 7030, 4.2.3]
  if (status === 202 || status === 429 || status >= 500)
    return { kind: 'retry', status, code, message, retryAfterMs: retryAfterMs(retryAfter, nowMs) }
  return { kind: 'refused', error: new EnrollmentError(status, code, message) }
}

/** Gangway answers `code: message` as text, which is what RFC 7030 asks for. Other servers answer anything. */
function readError(status: number, text: string): { code: string; message: string } {
  const [, code, message] = /^([a-z_]{1,64}): (.{1,1000})/s.exec(text) ?? []
  if (code && message) return { code, message: message.trim() }
  const line = /^[\x20-\x7e]{1,200}$/.test(text.trim()) ? `: ${text.trim()}` : ''
  return { code: `http_${status}`, message: `the EST server answered ${status}${line}` }
}

function readIssued(text: string): CertificateAnswer {
  try {
    const certificates = readCertificates(Buffer.from(text, 'base64'))
    return { kind: 'certificates', status: 200, certificates }
  } catch {
    const message = 'the address answered 200 with something other than certificates; is it an EST server?'
    return { kind: 'refused', error: new EnrollmentError(200, 'invalid_answer', message) }
  }
}
