/** The job of a deployment: whatever can be done now is done. It starts from the database alone, after a crash too. */
import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import { inLanes } from '../../lib/in-lanes.ts'
import { endUpdate } from '../updates/cancel-update.ts'
import { actorOf, listDue, setStep } from '../updates/set-step.ts'
import { addAdvanceJob } from './advance-job.ts'
import { decide } from './decide.ts'
import type { DeploymentRow } from '../../database/tables/firmware.ts'

/** Updates that one run starts; before the next ones it is asked whether the rollout is to stop. */
const BATCH = 100
const LANES = 4
/** A provider that does not answer holds a run up; what is left after this is the next one's, too. */
const RUN_MS = 10_000

export async function advanceDeployment(ctx: Context, id: string, runMs = RUN_MS): Promise<void> {
  const endMs = Date.now() + runMs
  const deployment = await ctx.db.transaction().execute((tx) => decide(tx, id))
  if (!deployment || deployment.ended_at) return
  const due = await listDue(ctx.db, id, BATCH)
  const left = await workUntil(endMs, due, (updateId) => setStep(ctx, updateId))
  const ended = (await cancelLeftOver(ctx, deployment, endMs)) + (await endOverdue(ctx, deployment, endMs))
  if (due.length === BATCH || left > 0 || ended > 0) await addAdvanceJob(ctx.db, id)
}

/** A cancelled deployment's updates that are on their devices; a run takes some, and the next one more. */
async function cancelLeftOver(
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
    .limit(BATCH)
    .execute()
  const message = 'The deployment was cancelled; the desired properties are as they were before.'
  await workUntil(endMs, running, (update) =>
    endUpdate(ctx, actorOf(tenant_id), { update, event: 'cancelled', log: { level: 'Warning', message } }),
  )
  return running.length
}

/** Time counts while the device is there to use it. */
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
    where u.deployment_id = ${id} and u.state = 'Running' and (not c.on_broker or conn.connected)
      and greatest(u.step_set_at, conn.connected_at) < now() - make_interval(secs => ${timeout_seconds})
    limit ${BATCH}`.execute(ctx.db)
  const message = `The device did not end it within ${timeout_seconds} seconds.`
  await workUntil(endMs, rows, (update) =>
    endUpdate(ctx, actorOf(tenant_id), { update, event: 'timedOut', log: { level: 'Error', message } }),
  )
  return rows.length
}

/** One that fails is tried again by the next run, and holds up no other. @returns how many had no turn */
async function workUntil<T>(endMs: number, items: T[], work: (item: T) => Promise<unknown>): Promise<number> {
  const failures: unknown[] = []
  const left = await inLanes(items, { lanes: LANES, mayBegin: () => Date.now() < endMs }, (item) =>
    work(item).catch((error: unknown) => failures.push(error)),
  )
  if (failures.length > 0) throw failures[0]
  return left
}
