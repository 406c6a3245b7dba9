/** How long a client may take to send: headers and ordinary bodies a minute, uploads as long as something comes. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    bodyTimer: NodeJS.Timeout | null
  }
}

const HEADERS_MS = 60_000
const BODY_MS = 60_000
/** An upload, and whoever reads a download, may be slow; one that stands still is cut. */
export const IDLE_MS = 60_000

export function limitBodyTime(app: FastifyInstance, bodyMs = BODY_MS): void {
  app.server.headersTimeout = HEADERS_MS
  app.decorateRequest('bodyTimer', null)
  app.addHook('onRequest', (request, _reply, done) => {
    if (hasBody(request)) {
      const timer = (request.bodyTimer = setTimeout(() => request.raw.destroy(), bodyMs))
      request.raw.once('close', () => clearTimeout(timer))
    }
    done()
  })
}

/** A `preParsing` hook: whoever gets that far may send. A stranger's body, which nobody reads, keeps its minute. */
export function allowSlowBody(
  { raw, bodyTimer }: FastifyRequest,
  _reply: FastifyReply,
  _payload: unknown,
  done: () => void,
): void {
  if (bodyTimer) clearTimeout(bodyTimer)
  raw.setTimeout(IDLE_MS)
  done()
}

const hasBody = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
