/**
 * A node that only stores what is in the stream, beside a gateway:
 *
 *     await using node = await startIngestNode(gateway)
 */
import { type Context, createContext } from '../../src/context.ts'
import { createKysely, createPool } from '../../src/database/pool.ts'
import { openIngestStream, usesStream } from '../../src/ingest/stream/ingest-stream.ts'
import { parseNatsUrl } from '../../src/lib/nats-url.ts'
import { joinNodes } from '../../src/nodes/nodes.ts'
import type { TestGateway } from './gateway.ts'
import { testLog } from './log.ts'

export interface IngestNode extends AsyncDisposable {
  ctx: Context
  /** See `IngestStream`. */
  longestWaitMs(): number
}

/** @param natsUrl another way to the same NATS */
export async function startIngestNode(
  { ctx: { config: all }, database, secretKeys }: TestGateway,
  natsUrl?: string,
): Promise<IngestNode> {
  if (!usesStream(all)) throw new Error('the gateway has no stream')
  const config = { ...all, natsUrl: natsUrl === undefined ? all.natsUrl : parseNatsUrl(natsUrl) }
  const pool = createPool({ connectionString: database.url }, testLog, { max: 10 })
  const open = { pool, db: createKysely(pool), queryPool: database.queryPool }
  const ctx = await createContext({ ...config, roles: new Set(['ingest']) }, testLog, open, secretKeys)
  const joined = await joinNodes(ctx.nodes)
  const stream = await openIngestStream({ ...ctx, config })
  const consumer = await stream.consume()
  return {
    ctx,
    longestWaitMs: stream.longestWaitMs,
    [Symbol.asyncDispose]: async () => {
      await consumer[Symbol.asyncDispose]()
      await stream[Symbol.asyncDispose]()
      await joined[Symbol.asyncDispose]()
      await ctx.activity[Symbol.asyncDispose]()
      await ctx.attempts[Symbol.asyncDispose]()
      await ctx.outbound.close()
      await pool.end()
    },
  }
}
