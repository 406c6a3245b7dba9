/** Delivers the outbox in order. A message is deleted only after the queue has stored it: at least once, never lost. */
import type { Kysely } from 'kysely'
import type { Context } from '../context.ts'
import type { Tables } from '../database/tables.ts'
import { addJob } from '../jobs/add-job.ts'
import type { Tasks } from '../jobs/jobs.ts'
import { ReceiverError, sendingTask, type SendOutcome } from '../jobs/receiver.ts'
import type { Queue } from './queue.ts'

const BATCH = 500

const DELIVER_OUTBOX = 'deliver-outbox'

export const outboxTasks = (ctx: Pick<Context, 'db'>, queue: Queue): Tasks => ({
  [DELIVER_OUTBOX]: sendingTask(async (): Promise<SendOutcome> => {
    while (await deliverBatch(ctx, queue)) {
      // Repeats until the outbox is empty.
    }
    return 'answered'
  }),
})

/** One job delivers all messages of the outbox. */
export const addDeliverOutboxJob = (tx: Kysely<Tables>): Promise<void> =>
  addJob(tx, DELIVER_OUTBOX, {}, { key: DELIVER_OUTBOX, receiver: { kind: 'events', id: 'outbox' } })

async function deliverBatch({ db }: Pick<Context, 'db'>, queue: Queue): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const rows = await tx.selectFrom('outbox').selectAll().orderBy('id').limit(BATCH).forUpdate().execute()
    if (rows.length === 0) return false
    await queue
      .publish(rows.map(({ id, subject, payload }) => ({ id, subject, payload })))
      .catch((error: Error) => {
        throw new ReceiverError(`the event queue did not accept the messages: ${error.message}`, false, {
          cause: error,
        })
      })
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
