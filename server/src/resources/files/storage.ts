/** Where the bytes of files are: on disk, or in S3-compatible storage. [docs/files#storage] */
import type { Readable } from 'node:stream'

/** Both ends belong to it. */
export interface ByteRange {
  start: number
  end: number
}

export interface StoredFile {
  /** UUID; a file's bytes never change under it. */
  key: string
  size: number
  /** Hexadecimal. */
  sha256: string
}

export interface FileStorage extends AsyncDisposable {
  /**
   * Once it answers, the bytes stay; when it throws, nothing of them does.
   * @param see gets each chunk on its way; what it throws ends it
   */
  put(content: AsyncIterable<Uint8Array>, see?: (chunk: Buffer) => void): Promise<StoredFile>
  /** @throws MissingFileError */
  open(key: string, range?: ByteRange): Promise<Readable>
  /** Nothing happens where it is not there. Who reads it meanwhile reads on. */
  delete(key: string): Promise<void>
  /** Keys of files that were put before then. */
  listOlder(before: Date): AsyncIterable<string>
  /** @throws where the storage does not answer */
  check(): Promise<void>
  /** What uploads that never ended have left. */
  deleteUnfinished(before: Date): Promise<void>
}

export class MissingFileError extends Error {
  override name = 'MissingFileError'
  constructor(key: string) {
    super(`the file ${key} is not in the storage`)
  }
}
