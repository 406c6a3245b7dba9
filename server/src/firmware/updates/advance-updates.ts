/** Reported properties on their way in: those of clients whose update is running may move it. [docs/firmware#updates] */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { StatusRule } from '../../database/tables/firmware.ts'
import { addAdvanceJob } from '../deployments/advance-job.ts'
import { type Judged, judge } from './judge.ts'
import { isOpen } from './states.ts'

export interface UpdateReport {
  clientNumber: number
  /** All reported properties after the report. */
  reported: Record<string, unknown>
  /** What the report said; null removes. */
  change: Record<string, unknown>
}

interface RunningUpdate extends Judged {
  id: string
  deploymentId: string
  clientNumber: number
  status: StatusRule
  steps: number
  sha256: string | null
}

/**
 * In the transaction that stores the reports, so that what a device was told is stored has moved its update.
 * @param reports in the order in which they came
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
    after.set(clientNumber, judge(update, update, value))
  }
  const changed = [...after.values()].filter((update) => update !== before.get(update.clientNumber))
  await updateJudged(tx, changed)
  await addJobs(
    tx,
    changed.filter((update) => update.stepDue || !isOpen(update.state)),
  )
}

/** Locks them until the transaction ends. One look-up in an index that holds running updates alone. */
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

async function updateJudged(tx: Kysely<Tables>, updates: RunningUpdate[]): Promise<void> {
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
      ${updates.map(({ statusBefore }) => jsonOf(statusBefore))}::jsonb[],
      ${updates.map(({ statusValue }) => jsonOf(statusValue))}::jsonb[],
      ${updates.map(({ logs }) => JSON.stringify(logs))}::jsonb[]
    ) as new (id, state, step_due, status_before, status_value, logs)
    where u.id = new.id`.execute(tx)
}

const jsonOf = (value: unknown) => (value === null ? null : JSON.stringify(value))

/** Their own deployments go on, and those that waited for their clients. */
async function addJobs(tx: Kysely<Tables>, updates: RunningUpdate[]): Promise<void> {
  if (updates.length === 0) return
  await addJobsFor(
    tx,
    updates.map(({ deploymentId }) => deploymentId),
    updates.map((u) => u.clientNumber),
  )
}

export async function addJobsFor(
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
  // In one order, so that two of these at one time do not wait for each other.
  for (const id of [...ids].toSorted()) await addAdvanceJob(tx, id)
}
