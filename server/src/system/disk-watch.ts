/** Reports disks that run full: in the log, in the metrics and, ahead of time, as an event in the outbox. */
import type { Context } from '../context.ts'
import { addJob } from '../jobs/add-job.ts'
import { type FreeSpace, isFull, mebibytes, readFreeBytes } from '../lib/disk-space.ts'

const READ_EVERY_MS = 10_000
const REPORT_EVERY_MS = 3_600_000
/** Shortest time for computing the rate: the use of a disk changes in steps. */
const SHORTEST_MS = 3_600_000
const LONGEST_MS = 24 * 3_600_000
/** Interval of the readings that are kept for each directory. */
const READING_INTERVAL_MS = 600_000
const HOURS_AHEAD = 48
/** Reported without an estimate: a disk that is nearly full from the start, or fills within the first hour. */
const LOW_BYTES = 1024 ** 3
const EVENT = 'StorageRunningOut'

interface Reading {
  atMs: number
  bytes: number
}

interface Watched {
  /** The oldest first. */
  readings: Reading[]
  reportedAtMs: number
  /** Since there was room last. */
  wasFull: boolean
}

type DiskWatchContext = Pick<Context, 'db' | 'log' | 'metrics' | 'storageDirectories'> & {
  config: Pick<Context['config'], 'lakeUrl'>
}

export interface DiskWatch extends AsyncDisposable {
  look(free: FreeSpace[], atMs: number): Promise<void>
}

export function createDiskWatch(ctx: DiskWatchContext): DiskWatch {
  const watched = new Map<string, Watched>()
  const look = async (free: FreeSpace[], atMs: number) => {
    for (const { directory, bytes } of free) {
      const one = watched.get(directory) ?? { readings: [], reportedAtMs: -Infinity, wasFull: false }
      watched.set(directory, one)
      const hoursLeft = addReading(one.readings, { atMs, bytes })
      updateMetrics(ctx, directory, bytes, hoursLeft)
      const runsOut = hoursLeft !== undefined && hoursLeft < HOURS_AHEAD
      if (bytes >= LOW_BYTES) one.wasFull = false
      if (bytes >= LOW_BYTES && !runsOut) continue
      const isNewlyFull = isFull(bytes) && !one.wasFull
      if (!isNewlyFull && atMs - one.reportedAtMs < REPORT_EVERY_MS) continue
      one.wasFull ||= isNewlyFull
      one.reportedAtMs = atMs
      await reportShortage(ctx, { directory, bytes }, hoursLeft)
    }
  }
  const readers = listReaders(ctx).map((read) => createReader(ctx, read, look))
  const run = () => readers.forEach((read) => void read())
  run()
  const timer = setInterval(run, READ_EVERY_MS)
  return { look, [Symbol.asyncDispose]: async () => clearInterval(timer) }
}

type Read = () => Promise<FreeSpace[]>

/**
 * The lake is read apart: its folder may be on another machine that does not answer, and a full lake does not keep the server
 * from working.
 */
function listReaders({ storageDirectories, config }: DiskWatchContext): Read[] {
  const folder = config.lakeUrl?.folder
  const readStorage = () => readFreeBytes(storageDirectories)
  if (folder === undefined) return [readStorage]
  const readLake = () =>
    readFreeBytes([folder]).catch((error: NodeJS.ErrnoException) => {
      // The folder is made with its first file.
      if (error.code === 'ENOENT') return []
      throw error
    })
  return [readStorage, readLake]
}

function createReader({ log }: DiskWatchContext, read: Read, look: DiskWatch['look']): () => Promise<void> {
  let isReading = false
  return async () => {
    // A reading that hangs blocks one thread of the process; further ones would block all.
    if (isReading) return
    isReading = true
    try {
      await look(await read(), performance.now())
    } catch (error) {
      log.warn({ err: error }, 'free disk space could not be read')
    }
    isReading = false
  }
}

/** @returns hours until the disk is full; undefined if its use does not grow or was not watched long enough */
function addReading(looks: Reading[], look: Reading): number | undefined {
  while (looks[0] && look.atMs - looks[0].atMs > LONGEST_MS) looks.shift()
  const last = looks.at(-1)
  if (!last || look.atMs - last.atMs >= READING_INTERVAL_MS) looks.push(look)
  const first = looks[0]!
  const elapsedMs = look.atMs - first.atMs
  const used = first.bytes - look.bytes
  return elapsedMs < SHORTEST_MS || used <= 0 ? undefined : (look.bytes / used) * (elapsedMs / 3_600_000)
}

function updateMetrics(
  { metrics }: DiskWatchContext,
  directory: string,
  bytes: number,
  hoursLeft: number | undefined,
): void {
  metrics.diskFreeBytes.set({ directory }, bytes)
  if (hoursLeft === undefined) metrics.diskHoursLeft.remove({ directory })
  else metrics.diskHoursLeft.set({ directory }, hoursLeft)
}

async function reportShortage(
  ctx: DiskWatchContext,
  { directory, bytes }: FreeSpace,
  hours: number | undefined,
): Promise<void> {
  const freeMebibytes = mebibytes(bytes)
  const hoursLeft = hours === undefined ? null : Math.round(hours)
  const text = isFull(bytes)
    ? 'the disk is full: free some space, or give it more'
    : 'the disk will be full soon: free some space, or give it more'
  ctx.log.error({ directory, freeMebibytes, hoursLeft }, text)
  // On a full disk no event can be stored; the log has the message.
  if (!isFull(bytes)) await insertEvent(ctx, { freeMebibytes, hoursLeft })
}

async function insertEvent({ db, log }: DiskWatchContext, payload: object): Promise<void> {
  try {
    await db.transaction().execute(async (tx) => {
      await tx
        .insertInto('outbox')
        .values({ subject: EVENT, payload: JSON.stringify(payload) })
        .execute()
      await addJob(tx, 'deliver-outbox', {}, { key: 'deliver-outbox' })
    })
  } catch (error) {
    log.warn({ err: error }, 'an event about disk space could not be stored')
  }
}
