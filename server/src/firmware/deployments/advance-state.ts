/** Advances the state of a deployment by the states of its updates, under a lock on the deployment. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { recordAudit } from '../../audit/record.ts'
import { isOnline } from '../../providers/is-online.ts'
import { firmwareActor } from '../updates/set-step.ts'
import { addJobsFromDeployment, cancelUpdates } from '../updates/end-updates.ts'
import { isOpen } from '../updates/states.ts'
import { listCounts, type WaveCounts } from './list-counts.ts'
import { findStopReason } from './find-stop-reason.ts'
import { insertRollbacks } from './insert-rollbacks.ts'
import { isOver, nextStatus } from './states.ts'
import type { DeploymentRow } from '../../database/tables/firmware.ts'
import { findDeploymentForUpdate, updateDeployment } from './store.ts'

/** Starts or stops the deployment, starts its next wave, or ends it. @returns undefined if the deployment was deleted */
export async function advanceState(tx: Kysely<Tables>, id: string): Promise<DeploymentRow | undefined> {
  const found = await findDeploymentForUpdate(tx, id)
  if (!found || found.ended_at) return found
  const started = isReadyToBegin(found) ? await begin(tx, found) : found
  const counts = await listCounts(tx, found)
  const advanced = started.status === 'Running' ? await advanceWave(tx, started, counts) : started
  return setEndWhenOver(tx, advanced)
}

/** Includes a deployment that was paused and resumed before its first wave. */
const isReadyToBegin = ({ status, wave }: DeploymentRow) =>
  status === 'Ready' || (status === 'Running' && wave === 0)

const begin = (tx: Kysely<Tables>, row: DeploymentRow) =>
  updateDeployment(tx, row, {
    status: nextStatus(row.status, 'begin') ?? row.status,
    wave: 1,
    started_at: new Date(),
  })

async function advanceWave(
  tx: Kysely<Tables>,
  row: DeploymentRow,
  counts: WaveCounts[],
): Promise<DeploymentRow> {
  const reason = await findStopReason(tx, row, counts)
  if (reason) return stop(tx, row, reason)
  let { wave } = row
  while (wave < row.rollout.waves.length && (await isWaveDone(tx, row.id, wave, counts))) wave++
  const isComplete = wave === row.rollout.waves.length && countOpen(counts) === 0
  if (isComplete) return updateDeployment(tx, row, { status: nextStatus('Running', 'complete')!, wave })
  return wave === row.wave ? row : updateDeployment(tx, row, { wave })
}

const countOpen = (counts: WaveCounts[], wave?: number) =>
  counts
    .filter((entry) => isOpen(entry.state) && (wave === undefined || entry.wave === wave))
    .reduce((total, { count }) => total + count, 0)

/**
 * A wave is done when all its updates have ended, or when those of all connected clients have ended and at least one has
 * succeeded: an offline client may not return for a year. The failure threshold has been checked before.
 */
async function isWaveDone(
  tx: Kysely<Tables>,
  id: string,
  wave: number,
  counts: WaveCounts[],
): Promise<boolean> {
  if (countOpen(counts, wave) === 0) return true
  const hasSucceeded = counts.some((entry) => entry.wave === wave && entry.state === 'Succeeded')
  return hasSucceeded && !(await isAnyConnected(tx, id, wave))
}

/** Clients of remote providers count as connected, because their connection is unknown here. */
async function isAnyConnected(tx: Kysely<Tables>, id: string, wave: number): Promise<boolean> {
  const { rows } = await sql<{ yes: boolean }>`
    select exists (
      select from firmware_updates u
      join provider_clients c on c.number = u.client_number
      left join client_connections conn on conn.client_number = c.number
      where u.deployment_id = ${id} and u.kind = 'update' and u.wave = ${wave} and u.state in ('Ready', 'Running')
        and (not c.on_broker or ${isOnline('conn')})) as yes`.execute(tx)
  return rows[0]!.yes
}

async function stop(tx: Kysely<Tables>, row: DeploymentRow, reason: string): Promise<DeploymentRow> {
  const stopped = await updateDeployment(tx, row, {
    status: nextStatus(row.status, 'stop')!,
    status_message: reason,
  })
  await cancelUpdates(tx, row.id, 'Ready', `The rollout stopped: ${reason}`)
  if (row.rollout.rollback) {
    await cancelUpdates(tx, row.id, 'Running', `The rollout stopped and is rolled back: ${reason}`)
    await insertRollbacks(tx, row.id)
  }
  const after = { status: stopped.status, reason }
  await recordAudit(tx, firmwareActor(row.tenant_id), {
    action: 'stop',
    resourceType: 'firmware',
    resourceId: row.id,
    after,
  })
  await addJobsFromDeployment(tx, row.id)
  return stopped
}

async function setEndWhenOver(tx: Kysely<Tables>, row: DeploymentRow): Promise<DeploymentRow> {
  if (!isOver(row.status) || countOpen(await listCounts(tx, row)) > 0) return row
  return updateDeployment(tx, row, { ended_at: new Date() })
}
