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
    parse(request, bytes.toString(), done)
  })
  app.addHook('onRequest', (request, _reply, done) => {
    if (isEmpty(request) && !request.routeOptions.config.gangway?.route.rawBody)
      delete request.headers['content-type']
    done()
  })
}

/** Such a request has no body, whatever type it claims: programs name their usual one also where they send nothing. */
const isEmpty = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
