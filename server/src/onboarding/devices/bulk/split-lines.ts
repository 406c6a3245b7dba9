/** Lines of a body that comes in chunks, split at the byte, so that a character across two chunks stays whole. */

const NEWLINE = 0x0a

export interface LineSplitter {
  push(chunk: Buffer): void
  /** The body has ended: what has come since the last newline is a line too. */
  end(): void
}

/** @param onLine gets every line without its newline; of one longer than `maxLineBytes`, nothing but that it was there */
export function createLineSplitter(
  maxLineBytes: number,
  onLine: (line: Buffer | 'too long') => void,
): LineSplitter {
  let parts: Buffer[] = []
  let size = 0

  const add = (part: Buffer) => {
    size += part.length
    // A line without end is counted, not kept.
    if (size > maxLineBytes) parts = []
    else parts.push(part)
  }
  const finish = () => {
    onLine(size > maxLineBytes ? 'too long' : Buffer.concat(parts))
    parts = []
    size = 0
  }

  return {
    push(chunk) {
      let start = 0
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        add(chunk.subarray(start, end))
        finish()
        start = end + 1
      }
      if (start < chunk.length) add(chunk.subarray(start))
    },
    end() {
      if (size > 0) finish()
    },
  }
}
