import { createHash } from 'node:crypto'
import { Transform } from 'node:stream'

const AHEAD_BYTES = 512 * 1024

/**
 * Size and digest of what passes by, so that nothing has to be read twice.
 * @param see gets each chunk before
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

/** @param see gets each chunk; what it throws ends the stream */
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
