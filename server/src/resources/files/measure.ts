import { createHash } from 'node:crypto'

/** Size and digest of what passes through, so that nothing has to be read twice. */
export function createMeasure() {
  const hash = createHash('sha256')
  let size = 0
  let broken: unknown
  return {
    async *through(content: AsyncIterable<Uint8Array>) {
      try {
        for await (const chunk of content) {
          size += chunk.length
          hash.update(chunk)
          yield chunk
        }
      } catch (error) {
        broken = error
        throw error
      }
    },
    /** Why the content itself ended early, whatever that led to at its receiver. */
    broken: () => broken,
    result: () => ({ size, sha256: hash.digest('hex') }),
  }
}

export const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex')
