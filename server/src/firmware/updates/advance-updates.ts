/** Advances running updates by the properties that their clients report. [docs/firmware#updates] */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { StatusRule } from '../../database/tables/firmware.ts'
import { addAdvanceJob } from '../deployments/advance-job.ts'
import { type InterpretedUpdate, interpretStatus } from './interpret-status.ts'
import { isOpen } from './states.ts'

export interface UpdateReport {
  clientNumber: number
  /** All reported properties after the report. */
  reported: Record<string, unknown>
  /** The properties in the report; null removes one. */
  change: Record<string, unknown>
}

interface RunningUpdate extends InterpretedUpdate {
  id: string
  deploymentId: string
  clientNumber: number
  status: StatusRule
  steps: number
  sha256: string | null
}

/**
 * @param tx the transaction that stores the reports, so that an acknowledged report has advanced the update
 * @param reports in the order of arrival
 */
export async function advanceUpdates(tx: Kysely<Tables>, reports: UpdateReport[]): Promise<void> {
  if (reports.length === 0) return
  const running = await listRunning(tx, [...new Set(reports.map(({ clientNumber }) => clientNumber))])
  if (running.length === 0) return
  const before = new Map(running.map((update) => [update.clientNumber, update]))
  const after = new Map(before)
  for (const { clientNumber, reported, change } of reports) {
    const update = after.get(clientNumber)
    const name = update?.status.statusPropertyName
    if (!update || name === undefined || !Object.hasOwn(change, name)) continue
    const value = change[name] === null ? undefined : reported[name]
    after.set(clientNumber, interpretStatus(update, update, value))
  }
  const changed = [...after.values()].filter((update) => update !== before.get(update.clientNumber))
  await storeInterpreted(tx, changed)
  await addJobsForUpdates(
    tx,
    changed.filter((update) => update.stepDue || !isOpen(update.state)),
  )
}

/** Locks the updates until the transaction ends. It is one look-up in an index of running updates. */
async function listRunning(tx: Kysely<Tables>, clientNumbers: number[]): Promise<RunningUpdate[]> {
  const { rows } = await sql<RunningUpdate>`
    select u.id, u.deployment_id as "deploymentId", u.client_number as "clientNumber", u.state,
      u.current_step as "currentStep", u.step_due as "stepDue", u.status_before as "statusBefore",
      u.status_value as "statusValue", u.logs, d.plan -> 'status' as status,
      case when u.kind = 'rollback' and u.back_to_deployment_id is null then 1
        else jsonb_array_length(d.plan -> 'steps') end as steps,
      case when u.kind = 'update' then d.plan else b.plan end #>> '{file,sha256}' as sha256
    from firmware_updates u join deployments d on d.id = u.deployment_id
    left join deployments b on b.id = u.back_to_deployment_id
    where u.client_number = any(${clientNumbers}::int[]) and u.state = 'Running'
    order by u.client_number for update of u`.execute(tx)
  return rows
}

async function storeInterpreted(tx: Kysely<Tables>, updates: RunningUpdate[]): Promise<void> {
  if (updates.length === 0) return
  await sql`
    update firmware_updates u
    set state = new.state, step_due = new.step_due, status_before = new.status_before,
      status_value = new.status_value, logs = new.logs,
      ended_at = case when new.state = 'Running' then null else now() end
    from unnest(
      ${updates.map(({ id }) => id)}::uuid[],
      ${updates.map(({ state }) => state)}::text[],
      ${updates.map(({ stepDue }) => stepDue)}::boolean[],
      ${updates.map(({ statusBefore }) => toJson(statusBefore))}::jsonb[],
      ${updates.map(({ statusValue }) => toJson(statusValue))}::jsonb[],
      ${updates.map(({ logs }) => JSON.stringify(logs))}::jsonb[]
    ) as new (id, state, step_due, status_before, status_value, logs)
    where u.id = new.id`.execute(tx)
}

const toJson = (value: unknown) => (value === null ? null : JSON.stringify(value))

/** Adds jobs for the updates' deployments, and for deployments that wait for the same clients. */
async function addJobsForUpdates(tx: Kysely<Tables>, updates: RunningUpdate[]): Promise<void> {
  if (updates.length === 0) return
  await addJobsForClients(
    tx,
    updates.map(({ deploymentId }) => deploymentId),
    updates.map((u) => u.clientNumber),
  )
}

export async function addJobsForClients(
  tx: Kysely<Tables>,
  deploymentIds: string[],
  clientNumbers: number[],
): Promise<void> {
  const waiting = await tx
    .selectFrom('firmware_updates')
    .select('deployment_id')
    .distinct()
    .where('client_number', '=', (eb) => eb.fn.any(eb.val(clientNumbers)))
    .where('state', '=', 'Ready')
    .execute()
  const ids = new Set([...deploymentIds, ...waiting.map((row) => row.deployment_id)])
  // A fixed order avoids a deadlock between concurrent transactions.
  for (const id of [...ids].toSorted()) await addAdvanceJob(tx, id)
}
