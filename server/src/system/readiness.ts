/** Checks whether the parts of this server work. It answers in time even if a part hangs. */
import type { Context } from '../context.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { IngestStream } from '../ingest/stream/ingest-stream.ts'
import { isFull, readFreeBytes } from '../lib/disk-space.ts'
import { waitAtMost } from '../lib/wait-at-most.ts'

/** True for each part that works. */
export interface Parts {
  database: boolean
  /** Undefined on a node that is no gateway. */
  broker?: boolean
  /** Messages are being committed. */
  ingest: boolean
  /** Whether the stream accepts messages of devices; undefined without one, and on a node that is no gateway. */
  stream?: 'ok' | 'full' | 'away'
  /** Messages of other nodes are received at once; with NATS: by NATS. */
  nodes: boolean
  /** The storage of files answers. */
  files: boolean
  /** The disks that the platform writes to have space left. */
  disk: boolean
}

/** Load balancers time out after a few seconds. */
export const ANSWER_MS = 1_500
/** A commit normally takes milliseconds; after 30 s a waiting message ends its connection. */
const MAX_WAIT_MS = 3_000

type ReadinessContext = Pick<
  Context,
  'config' | 'pool' | 'nodes' | 'endpoints' | 'files' | 'storageDirectories'
> & { ingest: Ingest; stream?: Pick<IngestStream, 'longestWaitMs' | 'state'> | undefined }

export function createReadiness(ctx: ReadinessContext): () => Promise<Parts> {
  const database = checkOnce(async () => void (await ctx.pool.query('select 1')))
  const files = checkOnce(() => ctx.files.check())
  const disk = checkOnce(async () => {
    const free = await readFreeBytes(ctx.storageDirectories)
    if (free.some(({ bytes }) => isFull(bytes))) throw new Error('the disk is full')
  })
  const isGateway = ctx.config.roles.has('gateway')
  return async () => {
    const [isDatabaseReady, areFilesReady, isDiskReady] = await Promise.all([database(), files(), disk()])
    return {
      database: isDatabaseReady,
      ...(isGateway && { broker: ctx.endpoints.mqtt !== undefined }),
      ingest: Math.max(ctx.ingest.longestWaitMs(), ctx.stream?.longestWaitMs() ?? 0) < MAX_WAIT_MS,
      // Only devices wait for it: a node without them does its work.
      ...(isGateway && ctx.stream && { stream: ctx.stream.state() }),
      nodes: ctx.nodes.transport.isConnected(),
      files: areFilesReady,
      disk: isDiskReady,
    }
  }
}

/** A check that hangs is not repeated before it has ended, so that checks do not accumulate. */
function checkOnce(check: () => Promise<void>): () => Promise<boolean> {
  let checking: Promise<boolean> | undefined
  return async () => {
    checking ??= check()
      .then(
        () => true,
        () => false,
      )
      .finally(() => (checking = undefined))
    return (await waitAtMost(ANSWER_MS, checking)) ?? false
  }
}
