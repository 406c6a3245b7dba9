/** Decides whether a rollout must stop: because of failed updates, or alarms on updated clients. [docs/firmware#rollouts] */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { DeploymentRow, UpdateState } from '../../database/tables/firmware.ts'
import type { WaveCounts } from './list-counts.ts'

/** @returns why the rollout must stop; undefined if it may continue */
export async function findStopReason(
  tx: Kysely<Tables>,
  deployment: DeploymentRow,
  counts: WaveCounts[],
): Promise<string | undefined> {
  return findTooManyFailures(deployment, counts) ?? (await findTooManyAlarms(tx, deployment))
}

/** Counts only started updates. Clients excluded from the rollout have no wave, and cancelled updates are not failures. */
export function findTooManyFailures({ rollout }: Pick<DeploymentRow, 'rollout'>, counts: WaveCounts[]) {
  const sum = (...states: UpdateState[]) =>
    counts
      .filter(({ kind, wave, state }) => kind === 'update' && wave > 0 && states.includes(state))
      .reduce((total, { count }) => total + count, 0)
  const failed = sum('Failed', 'Rejected')
  const started = failed + sum('Running', 'Succeeded')
  if (started === 0 || (failed / started) * 100 <= rollout.failureThresholdPercent) return undefined
  return `${failed} of ${started} updates failed or were rejected: more than ${rollout.failureThresholdPercent} %.`
}

async function findTooManyAlarms(tx: Kysely<Tables>, deployment: DeploymentRow): Promise<string | undefined> {
  const { healthAlarmIds, failureThresholdPercent } = deployment.rollout
  if (healthAlarmIds.length === 0) return undefined
  const { rows } = await sql<{ updated: number; alarmed: number; others: number; alarmed_others: number }>`
    with alarmed as (
      select c.number, max(s.activated_at) as at
      from alarm_statuses s
      join assets a on a.tenant_id = s.tenant_id and a.id = s.asset_id
      join asset_binding_remotes r on r.asset_number = a.number and r.instance_type = 'client'
      join provider_clients c on c.tenant_id = r.tenant_id and c.id = r.instance_id
      where s.tenant_id = ${deployment.tenant_id} and s.alarm_id = any(${healthAlarmIds}::uuid[])
        and s.activated_at >= ${deployment.started_at}
      group by c.number
    )
    select count(*) filter (where u.started_at is not null)::int as updated,
      count(*) filter (where alarmed.at >= u.started_at)::int as alarmed,
      count(*) filter (where u.state = 'Ready')::int as others,
      count(*) filter (where u.state = 'Ready' and alarmed.at is not null)::int as alarmed_others
    from firmware_updates u left join alarmed on alarmed.number = u.client_number
    where u.deployment_id = ${deployment.id} and u.kind = 'update'`.execute(tx)
  const { updated, alarmed, others, alarmed_others: alarmedOthers } = rows[0]!
  const [rate, otherRate] = [percent(alarmed, updated), percent(alarmedOthers, others)]
  if (rate <= failureThresholdPercent || rate <= 2 * otherRate) return undefined
  return (
    `${alarmed} of ${updated} updated clients have had a health alarm since the update, ` +
    `and ${alarmedOthers} of ${others} others: more than twice the rate, and more than ${failureThresholdPercent} %.`
  )
}

const percent = (part: number, whole: number) => (whole === 0 ? 0 : (part / whole) * 100)
