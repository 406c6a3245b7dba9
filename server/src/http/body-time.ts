/** How long a client may take to send: headers and ordinary bodies a minute, uploads as long as something comes. */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

const HEADERS_MS = 60_000
const BODY_MS = 60_000
/** An upload, and whoever reads a download, may be slow; one that stands still is cut. */
export const IDLE_MS = 60_000

export function limitBodyTime(app: FastifyInstance): void {
  app.server.headersTimeout = HEADERS_MS
  app.addHook('onRequest', ({ raw, routeOptions }, _reply, done) => {
    if (hasBody(raw)) {
      if (routeOptions.config.gangway?.route.rawBody?.as === 'multipart') raw.setTimeout(IDLE_MS)
      else cutAfter(raw, BODY_MS)
    }
    done()
  })
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

function cutAfter(request: IncomingMessage, ms: number) {
  const timer = setTimeout(() => request.destroy(), ms)
  request.once('close', () => clearTimeout(timer))
}
