import type { Files } from '../src/certificates/files.ts'

export class PowerCut extends Error {
  override readonly name = 'PowerCut'
}

/**
 * Effects of a power cut on operations that were not synced:
 * - `nothing`: all of them reached the disk; the interrupted write did so by half
 * - `contents`: the directory did, the contents of files did not
 * - `everything`: the directory did not either
 */
export type Loss = 'nothing' | 'contents' | 'everything'

/** A file system in memory with directory entries and contents, each as a program sees it and as the disk holds it. */
export interface FlashDisk {
  files: Files
  operations: number
  /** Cuts the power before the n-th operation from now on, counted from 0. */
  cutAfter(operations: number): void
  isOff(): boolean
  /** Cuts the power if it is still on, and switches it on again. */
  restart(loss: Loss): void
  modes: Map<string, 'directory' | 'file'>
}

interface Contents {
  seen: string
  synced: string
}

export function createFlashDisk(): FlashDisk {
  let seen = new Map<string, Contents>()
  let synced = new Map<string, Contents>()
  let left = Infinity
  const disk: FlashDisk = {
    operations: 0,
    modes: new Map(),
    cutAfter: (operations) => void (left = operations),
    isOff: () => left < 0,
    restart(loss) {
      if (loss === 'everything') seen = new Map(synced)
      for (const contents of seen.values()) {
        if (loss !== 'nothing') contents.seen = contents.synced
        contents.synced = contents.seen
      }
      synced = new Map(seen)
      left = Infinity
    },
    files: {
      makeDirectory: async (path) => void operate(() => disk.modes.set(path, 'directory')),
      read: async (path) => operate(() => seen.get(path)?.seen ?? null),
      async write(path, text) {
        const contents = seen.get(path) ?? { seen: '', synced: '' }
        const isInterrupted = left === 0
        if (left >= 0) {
          seen.set(path, contents)
          contents.seen = isInterrupted ? text.slice(0, text.length / 2) : text
        }
        operate(() => disk.modes.set(path, 'file'))
      },
      syncFile: async (path) =>
        operate(() => {
          const contents = seen.get(path)!
          contents.synced = contents.seen
        }),
      rename: async (from, to) =>
        operate(() => {
          seen.set(to, seen.get(from)!)
          seen.delete(from)
        }),
      remove: async (path) => void operate(() => seen.delete(path)),
      syncDirectory: async () => void operate(() => (synced = new Map(seen))),
    },
  }
  function operate<Result>(operation: () => Result): Result {
    if (left <= 0) {
      left = -1
      throw new PowerCut('the power was cut')
    }
    left--
    disk.operations++
    return operation()
  }
  return disk
}
