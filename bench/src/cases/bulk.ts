/** Measures the largest bulk add: one request that validates, stores and audits. */
import type { BenchCase } from '../bench-case.ts'
import { compare } from '../measure/finding.ts'
import { interleave } from '../measure/interleave.ts'
import { deviceId } from '../platform/devices.ts'
import { bulkAdd, createEnrollmentGroup } from '../platform/onboarding.ts'
import { type Platform, startPlatform } from '../platform/start.ts'

/** [docs/onboarding#limits] */
const DEVICES = 10_000
const ROUNDS = 5
const GOAL_SECONDS = 3

export const bulk: BenchCase = {
  name: 'bulk',
  about: 'bulk add of 10,000 devices, against one plain insert of as many rows',
  maxSeconds: 180,
  async run(bench) {
    const platform = await bench.use(startPlatform(bench))
    const group = await createEnrollmentGroup(platform)
    const plainGroup = await createEnrollmentGroup(platform)
    let devices = 0
    const newIds = () => Array.from({ length: DEVICES }, () => deviceId(devices++))
    const addInBulk = () => timed(newIds(), (ids) => bulkAdd(platform, group.id, ids))
    const insert = () => timed(newIds(), (ids) => insertPlainly(platform, plainGroup.id, ids))

    await addInBulk()
    await insert()
    const measured = await interleave(bench, ROUNDS, { bulk: addInBulk, insert })
    return [
      compare({
        measure: `bulk add of ${DEVICES.toLocaleString('en')} devices`,
        unit: 's',
        better: 'less',
        rounds: measured.bulk,
        baseline: { name: 'a plain insert', rounds: measured.insert },
        goal: { valueAtMost: GOAL_SECONDS },
      }),
    ]
  },
}

async function timed(ids: string[], work: (ids: string[]) => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work(ids)
  return (performance.now() - startedMs) / 1000
}

const insertPlainly = ({ pool }: Platform, groupId: string, ids: string[]) =>
  pool.query(
    `insert into onboarding_devices (tenant_id, enrollment_group_id, device_id)
     select 'default', $1, unnest($2::text[])`,
    [groupId, ids],
  )
