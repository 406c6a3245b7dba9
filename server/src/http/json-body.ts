/** Reads JSON bodies. Every other content type is refused where a route does not read its body itself. */
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

/** Says where JSON breaks off, and nothing of what stands there: it may be a password. */
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

/** Such a request has no body, whatever type it claims: programs name their usual one also where they send nothing. */
const isEmpty = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
