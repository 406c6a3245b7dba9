/** What is next for a deployment, decided under its lock from what its updates have come to. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { recordAudit } from '../../audit/record.ts'
import { actorOf } from '../updates/set-step.ts'
import { addJobsFrom, cancelMany } from '../updates/end-many.ts'
import { isOpen } from '../updates/states.ts'
import { listCounts, type WaveCounts } from './counts.ts'
import { reasonToStop } from './health.ts'
import { insertRollbacks } from './insert-rollbacks.ts'
import { isOver, nextStatus } from './states.ts'
import type { DeploymentRow } from '../../database/tables/firmware.ts'
import { findDeploymentForUpdate, updateDeployment } from './store.ts'

/** Begins it, stops it, opens its next wave, or ends it. @returns nothing where it is gone */
export async function decide(tx: Kysely<Tables>, id: string): Promise<DeploymentRow | undefined> {
  const found = await findDeploymentForUpdate(tx, id)
  if (!found || found.ended_at) return found
  const begun = isToBegin(found) ? await begin(tx, found) : found
  const counts = await listCounts(tx, found)
  const decided = begun.status === 'Running' ? await goOn(tx, begun, counts) : begun
  return ended(tx, decided)
}

/** Also one that was paused before it began, and resumed. */
const isToBegin = ({ status, wave }: DeploymentRow) =>
  status === 'Ready' || (status === 'Running' && wave === 0)

const begin = (tx: Kysely<Tables>, row: DeploymentRow) =>
  updateDeployment(tx, row, {
    status: nextStatus(row.status, 'begin') ?? row.status,
    wave: 1,
    started_at: new Date(),
  })

async function goOn(tx: Kysely<Tables>, row: DeploymentRow, counts: WaveCounts[]): Promise<DeploymentRow> {
  const reason = await reasonToStop(tx, row, counts)
  if (reason) return stop(tx, row, reason)
  let { wave } = row
  while (wave < row.rollout.waves.length && (await isWaveDone(tx, row.id, wave, counts))) wave++
  const isComplete = wave === row.rollout.waves.length && openIn(counts) === 0
  if (isComplete) return updateDeployment(tx, row, { status: nextStatus('Running', 'complete')!, wave })
  return wave === row.wave ? row : updateDeployment(tx, row, { wave })
}

const openIn = (counts: WaveCounts[], wave?: number) =>
  counts
    .filter((entry) => isOpen(entry.state) && (wave === undefined || entry.wave === wave))
    .reduce((total, { count }) => total + count, 0)

/**
 * Once every client of it that is connected has ended, and one at least has succeeded: a client that is away may come
 * back next year. Where all have ended, the threshold has been asked already.
 */
async function isWaveDone(
  tx: Kysely<Tables>,
  id: string,
  wave: number,
  counts: WaveCounts[],
): Promise<boolean> {
  if (openIn(counts, wave) === 0) return true
  const hasSucceeded = counts.some((entry) => entry.wave === wave && entry.state === 'Succeeded')
  return hasSucceeded && !(await isAnyConnected(tx, id, wave))
}

/** Of clients that do not come to our broker nobody knows, and they are waited for. */
async function isAnyConnected(tx: Kysely<Tables>, id: string, wave: number): Promise<boolean> {
  const { rows } = await sql<{ yes: boolean }>`
    select exists (
      select from firmware_updates u
      join provider_clients c on c.number = u.client_number
      left join client_connections conn on conn.client_number = c.number
      where u.deployment_id = ${id} and u.kind = 'update' and u.wave = ${wave} and u.state in ('Ready', 'Running')
        and (not c.on_broker or conn.connected)) as yes`.execute(tx)
  return rows[0]!.yes
}

async function stop(tx: Kysely<Tables>, row: DeploymentRow, reason: string): Promise<DeploymentRow> {
  const stopped = await updateDeployment(tx, row, {
    status: nextStatus(row.status, 'stop')!,
    status_message: reason,
  })
  await cancelMany(tx, row.id, 'Ready', `The rollout stopped: ${reason}`)
  if (row.rollout.rollback) {
    await cancelMany(tx, row.id, 'Running', `The rollout stopped and goes back: ${reason}`)
    await insertRollbacks(tx, row.id)
  }
  const after = { status: stopped.status, reason }
  await recordAudit(tx, actorOf(row.tenant_id), {
    action: 'stop',
    resourceType: 'firmware',
    resourceId: row.id,
    after,
  })
  await addJobsFrom(tx, row.id)
  return stopped
}

async function ended(tx: Kysely<Tables>, row: DeploymentRow): Promise<DeploymentRow> {
  if (!isOver(row.status) || openIn(await listCounts(tx, row)) > 0) return row
  return updateDeployment(tx, row, { ended_at: new Date() })
}
