import { createHash } from 'node:crypto'
import { Transform } from 'node:stream'

const AHEAD_BYTES = 512 * 1024

/**
 * Measures the size and digest of a stream, so that it is read only once.
 * @param see is called with each chunk first
 */
export function createMeasure(see?: (chunk: Buffer) => void) {
  const hash = createHash('sha256')
  let size = 0
  return {
    add(chunk: Buffer) {
      see?.(chunk)
      size += chunk.length
      hash.update(chunk)
    },
    result: () => ({ size, sha256: hash.digest('hex') }),
  }
}

/** @param see is called with each chunk; an error that it throws ends the stream */
export const createObservedStream = (see: (chunk: Buffer) => void): Transform =>
  new Transform({
    highWaterMark: AHEAD_BYTES,
    transform(chunk: Buffer, _encoding, done) {
      try {
        see(chunk)
      } catch (error) {
        return done(error as Error)
      }
      done(null, chunk)
    },
  })

export const hashSha256 = (text: string) => createHash('sha256').update(text).digest('hex')
