/** One request at a time over a kept connection, measured until the last byte of its answer. */
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'

export interface HttpRequest {
  method: 'GET' | 'POST'
  url: string
  headers?: Record<string, string>
  body?: string | Buffer
}

const agent = new Agent({ keepAlive: true, maxSockets: 4 })

/** @throws for an answer that is not a success */
export async function ask({
  method,
  url,
  headers,
  body,
}: HttpRequest): Promise<{ text: string; ms: number }> {
  const startedMs = performance.now()
  const answer = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = request(
      url,
      { method, agent, headers: { ...headers, ...(body && { 'content-length': Buffer.byteLength(body) }) } },
      (response) =>
        text(response).then((received) => resolve({ status: response.statusCode!, text: received }), reject),
    )
    sent.on('error', reject)
    sent.end(body)
  })
  const ms = performance.now() - startedMs
  if (answer.status >= 300) throw new Error(`${method} ${url}: ${answer.status} ${answer.text.slice(0, 500)}`)
  return { text: answer.text, ms }
}
