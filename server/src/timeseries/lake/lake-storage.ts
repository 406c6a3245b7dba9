/** The storage of the lake: files with names for other programs. [docs/lake#files] */

export interface LakeStorage extends AsyncDisposable {
  /** Replaces a file atomically: readers see the previous bytes or the new ones, and a failure changes nothing. */
  write(path: string, content: AsyncIterable<Uint8Array>): Promise<void>
  /** @returns undefined if there is no such file */
  read(path: string): Promise<Buffer | undefined>
  /** A missing file is ignored. */
  delete(path: string): Promise<void>
  /** Deletes all files below a folder. A missing folder is ignored. */
  deleteFolder(path: string): Promise<void>
  /** Deletes the remains of interrupted writes. */
  deleteUnfinished(before: Date): Promise<void>
}
