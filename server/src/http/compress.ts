/** Compresses answers for callers that accept it. */
import { constants } from 'node:zlib'
import compress from '@fastify/compress'
import type { FastifyInstance } from 'fastify'
import { ApiError } from './errors.ts'
import { acceptedType, type Route } from './route.ts'

/** A smaller answer fits into two packets; compressing it costs more than sending it. */
const THRESHOLD_BYTES = 2048

/**
 * The fastest levels: telemetry becomes 9 times smaller at some 4 ms a megabyte; the usual levels take 3 to 4 times as
 * long for a tenth less.
 */
const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
const ZLIB_OPTIONS = { level: 1 }

/** Must be registered before the routes. */
export function compressAnswers(app: FastifyInstance): void {
  app.register(compress, {
    encodings: ['br', 'gzip'],
    threshold: THRESHOLD_BYTES,
    brotliOptions: BROTLI_OPTIONS,
    zlibOptions: ZLIB_OPTIONS,
    // Otherwise small answers, and with few cores large ones too, are compressed on the event loop.
    syncThreshold: 0,
    // A small compressed body may unpack to a very large one.
    globalDecompression: false,
  })
}

/**
 * Files are answered in ranges and mostly compressed already. Open routes are not compressed, so that callers without
 * credentials cause no work. Answers with secrets are not, since the length of a compressed answer can reveal them (BREACH).
 */
export const isCompressible = ({ access, produces, secret }: Route): boolean =>
  access.kind !== 'open' && produces === undefined && !secret

/** Applies to parsed bodies and to bodies that a route reads itself. */
export function refuseCompressedBodies(app: FastifyInstance): void {
  app.addHook('preParsing', ({ headers, routeOptions }, _reply, _payload, done) => {
    const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity'
    if (encoding === 'identity') return done()
    const accepted = acceptedType(routeOptions.config.gangway?.route)
    const message = `Send the body without Content-Encoding; ${encoding.slice(0, 64)} is not read.`
    done(new ApiError('unsupported_media_type', message, { accepted }))
  })
}
