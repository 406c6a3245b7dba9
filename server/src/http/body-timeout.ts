/** Limits the time for sending a request: a minute for headers and for ordinary bodies; an upload may take longer while data arrives. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    bodyTimer: NodeJS.Timeout | null
  }
}

export const HEADERS_MS = 60_000
export const BODY_MS = 60_000
/** Uploads and downloads may be slow, but are cut when no data moves for this long. */
export const IDLE_MS = 60_000

export function limitBodyDuration(app: FastifyInstance, bodyMs = BODY_MS): void {
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

/** A `preParsing` hook: it runs only for authorized requests. The body of an unauthorized request keeps its time limit. */
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
