/** Says that a disk runs full: in the log, in the metrics, and ahead of it as an event in the outbox. */
import type { Context } from '../context.ts'
import { addJob } from '../jobs/add-job.ts'
import { type FreeSpace, isFull, mebibytes, readFreeBytes } from '../lib/disk-space.ts'

const LOOK_EVERY_MS = 10_000
const SAY_EVERY_MS = 3_600_000
/** Files come and go, and the database takes space in steps: a shorter time says little about the rate. */
const SHORTEST_MS = 3_600_000
const LONGEST_MS = 24 * 3_600_000
/** Looks that are kept, of each directory. */
const KEEP_EVERY_MS = 600_000
const HOURS_AHEAD = 48
const EVENT = 'StorageRunningOut'

interface Look {
  atMs: number
  bytes: number
}

interface Watched {
  /** The oldest first. */
  looks: Look[]
  saidAtMs: number
}

type Needs = Pick<Context, 'db' | 'log' | 'metrics' | 'storageDirectories'>

export interface DiskWatch extends AsyncDisposable {
  look(free: FreeSpace[], atMs: number): Promise<void>
}

export function createDiskWatch(ctx: Needs): DiskWatch {
  const watched = new Map<string, Watched>()
  const look = async (free: FreeSpace[], atMs: number) => {
    for (const { directory, bytes } of free) {
      const one = watched.get(directory) ?? { looks: [], saidAtMs: -Infinity }
      watched.set(directory, one)
      const hoursLeft = addLook(one.looks, { atMs, bytes })
      show(ctx, directory, bytes, hoursLeft)
      const runsOut = hoursLeft !== undefined && hoursLeft < HOURS_AHEAD
      if (!(isFull(bytes) || runsOut) || atMs - one.saidAtMs < SAY_EVERY_MS) continue
      one.saidAtMs = atMs
      await say(ctx, { directory, bytes }, hoursLeft)
    }
  }
  let isLooking = false
  const run = async () => {
    // One that hangs holds a thread of the process; more of them would hold all.
    if (isLooking) return
    isLooking = true
    try {
      await look(await readFreeBytes(ctx.storageDirectories), performance.now())
    } catch (error) {
      ctx.log.warn({ err: error }, 'free disk space cannot be read')
    }
    isLooking = false
  }
  void run()
  const timer = setInterval(run, LOOK_EVERY_MS)
  return { look, [Symbol.asyncDispose]: async () => clearInterval(timer) }
}

/** @returns hours until it is full, where the use grows and has been watched for long enough */
function addLook(looks: Look[], look: Look): number | undefined {
  while (looks[0] && look.atMs - looks[0].atMs > LONGEST_MS) looks.shift()
  const last = looks.at(-1)
  if (!last || look.atMs - last.atMs >= KEEP_EVERY_MS) looks.push(look)
  const first = looks[0]!
  const elapsedMs = look.atMs - first.atMs
  const used = first.bytes - look.bytes
  return elapsedMs < SHORTEST_MS || used <= 0 ? undefined : (look.bytes / used) * (elapsedMs / 3_600_000)
}

function show({ metrics }: Needs, directory: string, bytes: number, hoursLeft: number | undefined): void {
  metrics.diskFreeBytes.set({ directory }, bytes)
  if (hoursLeft === undefined) metrics.diskHoursLeft.remove({ directory })
  else metrics.diskHoursLeft.set({ directory }, hoursLeft)
}

async function say(ctx: Needs, { directory, bytes }: FreeSpace, hours: number | undefined): Promise<void> {
  const freeMebibytes = mebibytes(bytes)
  const hoursLeft = hours === undefined ? null : Math.round(hours)
  const text = isFull(bytes)
    ? 'the disk is full: free some space, or give it more'
    : 'the disk will be full soon: free some space, or give it more'
  ctx.log.error({ directory, freeMebibytes, hoursLeft }, text)
  // A full disk takes no event; the log has it.
  if (!isFull(bytes)) await insertEvent(ctx, { freeMebibytes, hoursLeft })
}

async function insertEvent({ db, log }: Needs, payload: object): Promise<void> {
  try {
    await db.transaction().execute(async (tx) => {
      await tx
        .insertInto('outbox')
        .values({ subject: EVENT, payload: JSON.stringify(payload) })
        .execute()
      await addJob(tx, 'deliver-outbox', {}, { key: 'deliver-outbox' })
    })
  } catch (error) {
    log.warn({ err: error }, 'an event about disk space was not stored')
  }
}
