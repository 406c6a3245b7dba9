/** Whether this server can do its work, part by part. It answers in time whatever hangs. */
import type { Context } from '../context.ts'
import type { Ingest } from '../ingest/ingest.ts'
import { isFull, readFreeBytes } from '../lib/disk-space.ts'

/** True where the part works. */
export interface Parts {
  database: boolean
  broker: boolean
  /** Messages are being committed. */
  ingest: boolean
  /** The storage of files answers. */
  files: boolean
  /** There is space left where the platform writes. */
  disk: boolean
}

/** Load balancers give up after a few seconds. */
const ANSWER_MS = 1_500
/** A commit takes milliseconds; a message that waits for 30 s ends its connection. */
const MOST_WAIT_MS = 3_000

type Needs = Pick<Context, 'pool' | 'endpoints' | 'files' | 'storageDirectories'> & { ingest: Ingest }

export function createReadiness(ctx: Needs): () => Promise<Parts> {
  const database = askOnce(async () => void (await ctx.pool.query('select 1')))
  const files = askOnce(() => ctx.files.check())
  const disk = askOnce(async () => {
    const free = await readFreeBytes(ctx.storageDirectories)
    if (free.some(({ bytes }) => isFull(bytes))) throw new Error('the disk is full')
  })
  return async () => {
    const [isDatabaseReady, areFilesReady, isDiskReady] = await Promise.all([database(), files(), disk()])
    return {
      database: isDatabaseReady,
      broker: ctx.endpoints.mqtt !== undefined,
      ingest: ctx.ingest.longestWaitMs() < MOST_WAIT_MS,
      files: areFilesReady,
      disk: isDiskReady,
    }
  }
}

/** A question that hangs is not asked again before it has ended, so that questions do not pile up. */
function askOnce(ask: () => Promise<void>): () => Promise<boolean> {
  let asking: Promise<boolean> | undefined
  return () => {
    asking ??= ask()
      .then(
        () => true,
        () => false,
      )
      .finally(() => (asking = undefined))
    return within(ANSWER_MS, asking)
  }
}

function within(ms: number, answer: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), ms)))
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}
