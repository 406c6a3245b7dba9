/** The storage of files: on disk or in S3-compatible storage. [docs/files#storage] */
import type { Readable } from 'node:stream'

/** A range of bytes that includes both ends. */
export interface ByteRange {
  start: number
  end: number
}

export interface StoredFile {
  /** A UUID. The bytes of a key never change. */
  key: string
  size: number
  /** Hexadecimal. */
  sha256: string
}

export interface FileStorage extends AsyncDisposable {
  /**
   * Stores a file durably, or throws and leaves nothing behind.
   * @param see is called with each chunk; an error that it throws ends the upload
   */
  put(content: AsyncIterable<Uint8Array>, see?: (chunk: Buffer) => void): Promise<StoredFile>
  /** @throws MissingFileError */
  open(key: string, range?: ByteRange): Promise<Readable>
  /** Deletes a file. A missing file is ignored, and open readers can finish. */
  delete(key: string): Promise<void>
  /** Lists the keys of files that were stored before the date. */
  listOlder(before: Date): AsyncIterable<string>
  /** @throws if the storage does not answer */
  check(): Promise<void>
  /** Deletes the remains of uploads that never finished. */
  deleteUnfinished(before: Date): Promise<void>
}

export class MissingFileError extends Error {
  override name = 'MissingFileError'
  constructor(key: string) {
    super(`the file ${key} is not in the storage`)
  }
}
