import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** The size of one write: a system call costs as much as many kilobytes. */
const WRITE_BYTES = 1024 * 1024

/**
 * Writes a new file and syncs it.
 * @param see is called with each chunk; an error that it throws ends the file
 * @throws an error of the content or the disk, which leaves a partial file
 */
export async function writeFile(
  { path, mode = 0o600 }: { path: string; mode?: number },
  content: AsyncIterable<Uint8Array>,
  see: (chunk: Buffer) => void,
): Promise<void> {
  const file = await open(path, 'wx', mode)
  try {
    await pipeline(content, createSink(file, see))
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Collects chunks; those that arrive during a write wait in the stream. */
function createSink(file: FileHandle, see: (chunk: Buffer) => void): Writable {
  let gathered: Buffer[] = []
  let bytes = 0
  const flush = async () => {
    const [chunks, size] = [gathered, bytes]
    ;[gathered, bytes] = [[], 0]
    const { bytesWritten } = await file.writev(chunks)
    // The disk may write fewer bytes than requested.
    if (bytesWritten < size) await file.appendFile(Buffer.concat(chunks).subarray(bytesWritten))
  }
  return new Writable({
    highWaterMark: 2 * WRITE_BYTES,
    write(chunk: Buffer, _encoding, done) {
      try {
        see(chunk)
      } catch (error) {
        return done(error as Error)
      }
      gathered.push(chunk)
      bytes += chunk.length
      if (bytes < WRITE_BYTES) return done()
      flush().then(() => done(), done)
    },
    final(done) {
      if (bytes === 0) return done()
      flush().then(() => done(), done)
    },
  })
}
