/** Starts an update or its next step, by setting the step's desired property on the client. */
import { type Kysely, sql } from 'kysely'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import type { DeploymentPlan, UpdateKind, UpdateLog } from '../../database/tables/firmware.ts'
import { ApiError } from '../../http/errors.ts'
import type { Twin } from '../../providers/kinds/provider-kind.ts'
import type { Properties } from '../../providers/twin/merge-patch.ts'
import { addJobsForClients } from './advance-updates.ts'
import { makeLog, appendLog } from './logs.ts'
import { runDesiredChange } from './set-desired.ts'
import { nextState } from './states.ts'
import { makeStepValues } from './step-values.ts'

/** The actor in the audit log for changes of the platform. */
export const firmwareActor = (tenantId: string) => ({ tenantId, system: 'firmware' })
const RETRY_SECONDS = 60

interface DueUpdate {
  id: string
  tenant_id: string
  deployment_id: string
  client_number: number
  kind: UpdateKind
  state: 'Ready' | 'Running'
  current_step: number
  desired_before: Properties | null
  logs: UpdateLog[]
  /** The plan of the update, or of the deployment to which a rollback returns; null if it only restores properties. */
  plan: DeploymentPlan | null
}

/** Lists the updates of a deployment whose next step can be set now, in the order of the rollout. */
export async function listDue(db: Kysely<Tables>, deploymentId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select u.id from firmware_updates u join deployments d on d.id = u.deployment_id
    where u.deployment_id = ${deploymentId} and ${isDue}
    order by u.kind, u.wave, u.place limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** The updates of a client run one after the other, in the order of their deployments. */
const isDue = sql`(u.retry_at is null or u.retry_at <= now()) and (
  (u.state = 'Running' and u.step_due and d.status not in ('Paused', 'Cancelled'))
  or (u.state = 'Ready'
    and (u.kind = 'rollback' or (d.status = 'Running' and u.wave <= d.wave))
    and not exists (
      select from firmware_updates e
      where e.client_number = u.client_number and e.id <> u.id
        and (e.state = 'Running' or (e.state = 'Ready' and e.deployment_id < u.deployment_id)))))`

const findDue = async (db: Kysely<Tables>, id: string): Promise<DueUpdate | undefined> =>
  (
    await sql<DueUpdate>`
      select u.id, u.tenant_id, u.deployment_id, u.client_number, u.kind, u.state, u.current_step, u.logs,
        coalesce(u.desired_before, o.desired_before) as desired_before,
        case when u.kind = 'update' then d.plan else b.plan end as plan
      from firmware_updates u
      join deployments d on d.id = u.deployment_id
      left join deployments b on b.id = u.back_to_deployment_id
      left join firmware_updates o on u.kind = 'rollback' and o.kind = 'update'
        and o.deployment_id = u.deployment_id and o.client_number = u.client_number
      where u.id = ${id} and ${isDue}`.execute(db)
  ).rows[0]

/** Sets the next step of an update; does nothing if it is no longer due. */
export async function setStep(ctx: Context, id: string): Promise<void> {
  const found = await findDue(ctx.db, id)
  if (!found) return
  try {
    const step = found.current_step + 1
    const values = found.plan
      ? await makeStepValues(ctx, found.tenant_id, found.plan, step)
      : previousValues(found.desired_before)
    await runDesiredChange(
      ctx,
      firmwareActor(found.tenant_id),
      found.client_number,
      async ({ tx, twin, set }) => {
        // Checked again under the client's lock, which prevents another update from starting.
        const update = await findDue(tx, id)
        if (!update || update.current_step + 1 !== step) return
        await set(values)
        if (!update.plan && !hasAnyValue(values)) return rejectRollback(tx, update)
        await storeStart(tx, update, twin, step)
      },
    )
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    await recordFailure(ctx, found, error)
  }
}

/** Returns the properties from before the update; an undefined value removes a property that did not exist. */
const previousValues = (before: Properties | null): Properties =>
  Object.fromEntries(Object.entries(before ?? {}).map(([name, value]) => [name, value ?? undefined]))

const hasAnyValue = (values: Properties) => Object.values(values).some((value) => value !== undefined)

async function storeStart(tx: Kysely<Tables>, update: DueUpdate, twin: Twin, step: number): Promise<void> {
  const state = update.state === 'Ready' ? nextState('Ready', 'started')! : update.state
  const said = await readStatus(tx, update.deployment_id, twin)
  const message = step === 1 ? 'Started: the first step is set.' : `Step ${step} is set.`
  const { numUpdatedRows } = await tx
    .updateTable('firmware_updates')
    .set({
      state,
      current_step: step,
      step_due: false,
      status_before: said === undefined ? null : JSON.stringify(said),
      status_value: null,
      logs: JSON.stringify(appendLog(update.logs, makeLog('Info', message, step))),
      retry_at: null,
      step_set_at: new Date(),
      ...(update.state === 'Ready' && {
        started_at: new Date(),
        desired_before: JSON.stringify(readDesiredBefore(update, twin)),
      }),
    })
    .where('id', '=', update.id)
    .where('state', '=', update.state)
    .executeTakeFirst()
  // The update was cancelled at the same time; the rollback of the transaction undoes the properties.
  if (numUpdatedRows !== 1n) throw new ApiError('conflict', 'The update was cancelled just now.')
}

/** Returns the properties of all steps, so that they can be restored. A property that did not exist is null. */
function readDesiredBefore({ plan }: DueUpdate, { desired }: Twin): Properties {
  const names = plan?.steps.map(({ name }) => name) ?? []
  return Object.fromEntries(names.map((name) => [name, desired[name] ?? null]))
}

async function readStatus(tx: Kysely<Tables>, deploymentId: string, { reported }: Twin): Promise<unknown> {
  const { plan } = await tx
    .selectFrom('deployments')
    .select('plan')
    .where('id', '=', deploymentId)
    .executeTakeFirstOrThrow()
  return reported[plan.status.statusPropertyName]
}

/** Rejects the rollback if there were no desired properties before: they are removed, but the installed software stays. */
async function rejectRollback(tx: Kysely<Tables>, update: DueUpdate): Promise<void> {
  const message = 'No earlier release of the client is known: only its desired properties were restored.'
  await endUpdate(tx, update, 'unsuited', message)
}

/** Schedules a retry if the provider is unavailable; any other error ends the update. */
async function recordFailure(ctx: Context, update: DueUpdate, error: ApiError): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    if (error.status < 500) return endUpdate(tx, update, 'unstartable', error.message)
    await tx
      .updateTable('firmware_updates')
      .set({
        retry_at: new Date(Date.now() + RETRY_SECONDS * 1000),
        logs: JSON.stringify(appendLog(update.logs, makeLog('Warning', error.message, update.current_step))),
      })
      .where('id', '=', update.id)
      .where('state', '=', update.state)
      .execute()
  })
}

async function endUpdate(
  tx: Kysely<Tables>,
  update: DueUpdate,
  event: 'unsuited' | 'unstartable',
  message: string,
): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('firmware_updates')
    .set({
      state: nextState(update.state, event)!,
      step_due: false,
      logs: JSON.stringify(appendLog(update.logs, makeLog('Error', message, update.current_step))),
      ended_at: new Date(),
    })
    .where('id', '=', update.id)
    .where('state', '=', update.state)
    .executeTakeFirst()
  if (numUpdatedRows === 1n) await addJobsForClients(tx, [update.deployment_id], [update.client_number])
}
