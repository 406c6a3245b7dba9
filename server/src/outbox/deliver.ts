/** Delivers the outbox in order. A message leaves the table only after the queue has it: at least once, never lost. */
import type { Context } from '../context.ts'
import type { Tasks } from '../jobs/jobs.ts'
import type { Queue } from './queue.ts'

const BATCH = 500

export const outboxTasks = (ctx: Pick<Context, 'db'>, queue: Queue): Tasks => ({
  'deliver-outbox': async () => {
    while (await deliverBatch(ctx, queue)) {
      // until nothing is left
    }
  },
})

async function deliverBatch({ db }: Pick<Context, 'db'>, queue: Queue): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const rows = await tx.selectFrom('outbox').selectAll().orderBy('id').limit(BATCH).forUpdate().execute()
    if (rows.length === 0) return false
    await queue.publish(rows.map(({ id, subject, payload }) => ({ id, subject, payload })))
    await tx
      .deleteFrom('outbox')
      .where(
        'id',
        'in',
        rows.map((row) => row.id),
      )
      .execute()
    return rows.length === BATCH
  })
}
