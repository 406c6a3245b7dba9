import { createHash } from 'node:crypto'
import { Transform } from 'node:stream'

const AHEAD_BYTES = 512 * 1024

/**
 * Size and digest of what passes through, so that nothing has to be read twice.
 * @param see gets each chunk; what it throws ends the stream
 */
export function createMeasure(see?: (chunk: Buffer) => void) {
  const hash = createHash('sha256')
  let size = 0
  const stream = new Transform({
    highWaterMark: AHEAD_BYTES,
    transform(chunk: Buffer, _encoding, done) {
      try {
        see?.(chunk)
      } catch (error) {
        return done(error as Error)
      }
      size += chunk.length
      hash.update(chunk)
      done(null, chunk)
    },
  })
  return { stream, result: () => ({ size, sha256: hash.digest('hex') }) }
}

export const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex')
