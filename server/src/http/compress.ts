/** Compressed answers, for callers whose Accept-Encoding takes them. */
import { constants } from 'node:zlib'
import compress from '@fastify/compress'
import type { FastifyInstance } from 'fastify'
import { ApiError } from './errors.ts'
import { acceptedType, type Route } from './route.ts'

/** Below, an answer fits into two packets as it is, and compressing it costs more than sending it. */
const THRESHOLD_BYTES = 2048

/**
 * The fastest levels: telemetry becomes 9 times smaller at some 4 ms a megabyte; the usual levels take 3 to 4 times as
 * long for a tenth less.
 */
const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
const ZLIB_OPTIONS = { level: 1 }

/** Has to be registered before the routes. */
export function compressAnswers(app: FastifyInstance): void {
  app.register(compress, {
    encodings: ['br', 'gzip'],
    threshold: THRESHOLD_BYTES,
    brotliOptions: BROTLI_OPTIONS,
    zlibOptions: ZLIB_OPTIONS,
    // Otherwise the event loop itself compresses what is small, on a machine of few cores what is large, too.
    syncThreshold: 0,
    // A small compressed body may unpack to a very large one.
    globalDecompression: false,
  })
}

/**
 * Files are answered by parts and mostly compressed already. Strangers make no work. A secret beside text that somebody
 * else chose could be guessed by the length of the compressed answer (BREACH).
 */
export const isCompressible = ({ access, produces, secret }: Route): boolean =>
  access.kind !== 'open' && produces === undefined && !secret

/** Applies to bodies that are parsed for a route and to those that the route reads itself. */
export function refuseCompressedBodies(app: FastifyInstance): void {
  app.addHook('preParsing', ({ headers, routeOptions }, _reply, _payload, done) => {
    const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity'
    if (encoding === 'identity') return done()
    const accepted = acceptedType(routeOptions.config.gangway?.route)
    const message = `Send the body without Content-Encoding; ${encoding.slice(0, 64)} is not read.`
    done(new ApiError('unsupported_media_type', message, { accepted }))
  })
}
