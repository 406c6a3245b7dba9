/** Reads JSON bodies. Other content types are refused, except by routes that read their body themselves. */
import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { validationError } from './errors.ts'

export function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    if (bytes.length === 0) return done(null)
    if (!isUtf8(bytes)) return done(validationError({ path: 'body', message: 'is not UTF-8 text' }))
    const text = bytes.toString()
    parse(request, text, (error, body) => done(error && (describeSyntax(text) ?? error), body))
  })
  app.addHook('onRequest', (request, _reply, done) => {
    if (isEmpty(request) && !request.routeOptions.config.gangway?.route.rawBody)
      delete request.headers['content-type']
    done()
  })
}

/** Names the position of a JSON syntax error, but not the text there: it may be a password. */
function describeSyntax(text: string) {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    const position = / at position (\d+)/.exec((error as Error).message)?.[1]
    const before = position === undefined ? undefined : text.slice(0, Number(position)).split('\n')
    const place = before ? ` at line ${before.length}, column ${before.at(-1)!.length + 1}` : ''
    const message = `is not JSON${place}. Names and texts stand in double quotes, and no comma stands before } or ]`
    return validationError({ path: 'body', message })
  }
}

/** Whether the request has no body. Many clients set a content type even then. */
const isEmpty = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
