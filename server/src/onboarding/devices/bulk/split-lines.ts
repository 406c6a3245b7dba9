/** Splits the chunks of a body into lines. It works on bytes, so that a character across two chunks stays intact. */

const NEWLINE = 0x0a

export interface LineSplitter {
  push(chunk: Buffer): void
  /** Ends the body: the bytes since the last newline are the last line. */
  end(): void
}

/** @param onLine receives each line without its newline, or `too long` for a line over `maxLineBytes` */
export function createLineSplitter(
  maxLineBytes: number,
  onLine: (line: Buffer | 'too long') => void,
): LineSplitter {
  let parts: Buffer[] = []
  let size = 0

  const add = (part: Buffer) => {
    size += part.length
    // The bytes of a line that is too long are counted but not kept.
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
