/** The job of a deployment. It does everything that is due. All state is in the database, so it continues after a crash. */
import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import { inLanes } from '../../lib/in-lanes.ts'
import { isOnline } from '../../providers/is-online.ts'
import { endUpdate } from '../updates/end-update.ts'
import { firmwareActor, listDue, setStep } from '../updates/set-step.ts'
import { addAdvanceJob } from './advance-job.ts'
import { advanceState } from './advance-state.ts'
import type { DeploymentRow } from '../../database/tables/firmware.ts'

/** The number of updates that one run starts. Each run first decides whether the rollout must stop. */
const BATCH_SIZE = 100
const LANES = 4
/** Limits a run whose provider does not answer; the next run does the rest. */
const MAX_RUN_MS = 10_000

export async function advanceDeployment(ctx: Context, id: string, runMs = MAX_RUN_MS): Promise<void> {
  const endMs = Date.now() + runMs
  const deployment = await ctx.db.transaction().execute((tx) => advanceState(tx, id))
  if (!deployment || deployment.ended_at) return
  const due = await listDue(ctx.db, id, BATCH_SIZE)
  const left = await runUntil(endMs, due, (updateId) => setStep(ctx, updateId))
  const ended = (await cancelRunning(ctx, deployment, endMs)) + (await endOverdue(ctx, deployment, endMs))
  if (due.length === BATCH_SIZE || left > 0 || ended > 0) await addAdvanceJob(ctx.db, id)
}

/** Cancels the running updates of a cancelled deployment, one batch per run. */
async function cancelRunning(
  ctx: Context,
  { id, status, tenant_id }: DeploymentRow,
  endMs: number,
): Promise<number> {
  if (status !== 'Cancelled') return 0
  const running = await ctx.db
    .selectFrom('firmware_updates')
    .select(['id', 'client_number'])
    .where('deployment_id', '=', id)
    .where('state', '=', 'Running')
    .orderBy('place')
    .limit(BATCH_SIZE)
    .execute()
  const message = 'The deployment was cancelled; the previous desired properties were restored.'
  await runUntil(endMs, running, (update) =>
    endUpdate(ctx, firmwareActor(tenant_id), {
      update,
      event: 'cancelled',
      log: { level: 'Warning', message },
    }),
  )
  return running.length
}

/** Ends updates that exceed the deployment's timeout. Only time during which the device is connected counts. */
async function endOverdue(
  ctx: Context,
  { id, tenant_id, timeout_seconds }: DeploymentRow,
  endMs: number,
): Promise<number> {
  if (timeout_seconds === null) return 0
  const { rows } = await sql<{ id: string; client_number: number }>`
    select u.id, u.client_number
    from firmware_updates u
    join provider_clients c on c.number = u.client_number
    left join client_connections conn on conn.client_number = c.number
    where u.deployment_id = ${id} and u.state = 'Running' and (not c.on_broker or ${isOnline('conn')})
      and greatest(u.step_set_at, conn.connected_at) < now() - make_interval(secs => ${timeout_seconds})
    limit ${BATCH_SIZE}`.execute(ctx.db)
  const message = `The device did not complete the update within ${timeout_seconds} seconds.`
  await runUntil(endMs, rows, (update) =>
    endUpdate(ctx, firmwareActor(tenant_id), { update, event: 'timedOut', log: { level: 'Error', message } }),
  )
  return rows.length
}

/**
 * Works on the items until `endMs`. A failure does not prevent the other items; the next run retries it.
 * @returns the number of items that were not started
 * @throws the first failure
 */
async function runUntil<T>(endMs: number, items: T[], work: (item: T) => Promise<unknown>): Promise<number> {
  const failures: unknown[] = []
  const left = await inLanes(items, { lanes: LANES, mayBegin: () => Date.now() < endMs }, (item) =>
    work(item).catch((error: unknown) => failures.push(error)),
  )
  if (failures.length > 0) throw failures[0]
  return left
}
