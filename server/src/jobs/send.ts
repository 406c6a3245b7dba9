/** Runs a sending task and records whether its receiver answered. */
import type { JobHelpers, Task as WorkerTask } from 'graphile-worker'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Tables } from '../database/tables.ts'
import type { Metrics } from '../lib/metrics.ts'
import { closeCircuit, recordFailure } from './circuits.ts'
import { ReceiverError, type SendingTask } from './receiver.ts'
import type { ReceiverSlots } from './receiver-slots.ts'

interface SendContext {
  db: Kysely<Tables>
  log: Logger
  metrics: Pick<Metrics, 'deliveries'>
  slots: ReceiverSlots
}

export const sendWith =
  (ctx: SendContext, task: SendingTask): WorkerTask =>
  async (payload, helpers) => {
    const receiver = findReceiver(helpers)
    try {
      const outcome = await task(payload)
      if (receiver && outcome === 'answered') await recordAnswer(ctx, receiver)
    } catch (error) {
      if (receiver && error instanceof ReceiverError) {
        if (error.isAnswered) await recordAnswer(ctx, receiver)
        else await recordSilence(ctx, receiver, error.message)
      }
      throw error
    }
  }

/** @returns undefined for jobs that an older version added */
const findReceiver = ({ job }: JobHelpers) =>
  Object.keys(job.flags ?? {}).find((flag) => flag.startsWith('receiver/'))

const receiverKind = (receiver: string) => receiver.split('/')[1]!

async function recordAnswer({ db, metrics, slots }: SendContext, receiver: string) {
  slots.recordAnswer(receiver)
  metrics.deliveries.inc({ kind: receiverKind(receiver), outcome: 'answered' })
  await closeCircuit(db, receiver)
}

async function recordSilence({ db, log, metrics, slots }: SendContext, receiver: string, reason: string) {
  slots.recordFailure(receiver)
  metrics.deliveries.inc({ kind: receiverKind(receiver), outcome: 'unanswered' })
  const isPaused = await recordFailure(db, receiver, reason)
  if (isPaused) log.warn({ receiver, reason }, 'a receiver does not answer, its deliveries are paused')
}
