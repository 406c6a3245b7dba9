import { DELETE_SAMPLES, type DeletedSeries } from '../assets/records/remove-asset.ts'
import type { Context } from '../context.ts'
import { addJob } from '../jobs/add-job.ts'
import type { Tasks } from '../jobs/jobs.ts'
import { deleteSamples } from './storage/delete-samples.ts'
import { MOVE_FORMER_SAMPLES, moveFormerSamples } from './storage/former/move-former.ts'
import { CUT_EXPIRED, cutExpiredPieces } from './storage/packed/cut-expired.ts'
import { PACK_SAMPLES, type PackPlace, packSamples } from './storage/packed/pack-samples.ts'

/** A server that stops waits for its jobs. */
const TURN_MS = 3000

export const timeseriesTasks = (ctx: Pick<Context, 'pool' | 'db' | 'log' | 'rowTables'>): Tasks => ({
  [DELETE_SAMPLES]: (payload) => deleteSamples(ctx.pool, payload as DeletedSeries),
  [MOVE_FORMER_SAMPLES]: async (payload) => {
    const { from } = payload as { from?: string }
    const last = await moveFormerSamples(ctx, { from, untilMs: Date.now() + TURN_MS })
    if (last !== undefined)
      await addJob(ctx.db, MOVE_FORMER_SAMPLES, { from: last }, { key: MOVE_FORMER_SAMPLES })
  },
  [CUT_EXPIRED]: async (payload) => {
    const { after } = payload as { after?: number }
    const last = await cutExpiredPieces(ctx, { after, untilMs: Date.now() + TURN_MS })
    if (last !== undefined) await addJob(ctx.db, CUT_EXPIRED, { after: last }, { key: CUT_EXPIRED })
  },
  [PACK_SAMPLES]: async (payload) => {
    const { from } = payload as { from?: PackPlace }
    const last = await packSamples(ctx, { from, untilMs: Date.now() + TURN_MS })
    if (last) await addJob(ctx.db, PACK_SAMPLES, { from: last }, { key: PACK_SAMPLES })
  },
})
