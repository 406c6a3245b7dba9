/** Starts and pauses the job that puts rollups in the place of a tenant's expired samples. */
import { setTimeout as sleep } from 'node:timers/promises'
import { addJob } from '@gangway/server/dist/jobs/add-job.js'
import { CUT_EXPIRED } from '@gangway/server/dist/timeseries/storage/packed/cut-expired.js'
import type { Platform } from '../platform/start.ts'

const ASK_AGAIN_MS = 50
const RETENTION_DAYS = 30
const ROLLUP_RETENTION_DAYS = 3650

export function startFirstRun({ db, pool }: Platform, tenantId: string) {
  const setRetention = (days: number | null) =>
    pool.query('update tenants set telemetry_retention_days = $2, rollup_retention_days = $3 where id = $1', [
      tenantId,
      days,
      ROLLUP_RETENTION_DAYS,
    ])
  return {
    async resume(): Promise<void> {
      await setRetention(RETENTION_DAYS)
      await addJob(db, CUT_EXPIRED, {}, { key: CUT_EXPIRED })
    },
    /** Waits for the present turn of the job. The next one finds that nothing expires, and ends. */
    async pause(): Promise<void> {
      await setRetention(null)
      const isLeft = async () => {
        const { rows } = await pool.query('select from graphile_worker.jobs where task_identifier = $1', [
          CUT_EXPIRED,
        ])
        return rows.length > 0
      }
      while (await isLeft()) await sleep(ASK_AGAIN_MS)
    },
  }
}
