import { createHash } from 'node:crypto'

/** Size and digest of what passes through, so that nothing has to be read twice. */
export function createMeasure() {
  const hash = createHash('sha256')
  let size = 0
  return {
    async *through(content: AsyncIterable<Uint8Array>) {
      for await (const chunk of content) {
        size += chunk.length
        hash.update(chunk)
        yield chunk
      }
    },
    result: () => ({ size, sha256: hash.digest('hex') }),
  }
}

export const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex')
