/** Writes to the lake once an hour, on one node at a time. */
import type { Context } from '../../context.ts'
import { runAlone } from '../../database/run-alone.ts'
import { type LakeContext, writeLake } from './write-lake.ts'

const EVERY_MS = 3_600_000
const FIRST_MS = 60_000
const RUN_LOCK = 7_264_016

export function startLake({ lake, ...ctx }: Context): AsyncDisposable | undefined {
  if (!lake) return undefined
  const stopping = new AbortController()
  const runOnce = async () => {
    try {
      await run({ ...ctx, lake }, ctx.pool, stopping.signal)
    } catch (error) {
      if (!stopping.signal.aborted)
        ctx.log.warn({ err: error }, 'the lake could not be written; the next run tries again')
    }
    if (!stopping.signal.aborted) schedule(EVERY_MS)
  }
  let timer: NodeJS.Timeout
  let running = Promise.resolve()
  const schedule = (afterMs: number) => (timer = setTimeout(() => (running = runOnce()), afterMs).unref())
  schedule(FIRST_MS)
  return {
    async [Symbol.asyncDispose]() {
      clearTimeout(timer)
      stopping.abort(new Error('the server stops'))
      await running
    },
  }
}

/** Does nothing while another node writes. */
async function run(ctx: LakeContext, pool: Context['pool'], signal: AbortSignal): Promise<void> {
  const days = (await runAlone(pool, RUN_LOCK, () => writeLake(ctx, { signal }))) ?? 0
  if (days > 0) ctx.log.info({ days }, 'wrote telemetry to the lake')
}
