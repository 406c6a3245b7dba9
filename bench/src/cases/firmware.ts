/** Measures creating a deployment to a whole fleet in one request: checks, waves and queueing. */
import type { BenchCase } from '../bench-case.ts'
import type { Finding } from '../measure/finding.ts'
import { type Platform, startPlatform } from '../platform/start.ts'

const CLIENTS = 100_000
const ROUNDS = 3
const GOAL_SECONDS = 10

export const firmware: BenchCase = {
  name: 'firmware',
  about: 'a deployment to 100,000 provider clients, planned and queued',
  maxSeconds: 300,
  async run(bench) {
    const platform = await bench.use(startPlatform(bench))
    const organizationId = await insertClients(platform)
    const body = await deploymentBody(platform, organizationId)
    const rounds: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const startedMs = performance.now()
      const { id } = await platform.api().post<{ id: string }>('/v1/firmware/deployments', body)
      rounds.push((performance.now() - startedMs) / 1000)
      bench.progress(`planned in ${rounds.at(-1)!.toFixed(1)} s`)
      // Otherwise the next deployment would wait behind the first wave of this one.
      await platform.api().post(`/v1/firmware/deployments/${id}/cancel`)
    }
    const value = rounds.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)]!
    const finding: Finding = {
      measure: `deployment to ${CLIENTS.toLocaleString('en')} clients`,
      unit: 's',
      value,
      rounds: { value: rounds },
      goal: { valueAtMost: GOAL_SECONDS },
    }
    return [finding]
  },
}

async function insertClients({ pool }: Platform): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    'select id from organizations where parent_organization_id is null',
  )
  const organizationId = rows[0]!.id
  await pool.query(
    `insert into provider_clients (tenant_id, provider_id, id, organization_id, display_name, on_broker)
     select 'default', 'mqtt', 'pump-' || n, $1, 'Pump', true from generate_series(1, $2::int) n`,
    [organizationId, CLIENTS],
  )
  await pool.query(
    `insert into relations (tenant_id, subject_type, subject_id, relation, resource_type, resource_id)
     select 'default', 'organization', $1::text, 'parent', 'provider_client', 'pump-' || n
     from generate_series(1, $2::int) n`,
    [organizationId, CLIENTS],
  )
  return organizationId
}

async function deploymentBody(platform: Platform, organizationId: string) {
  const here = { displayName: 'Bench', organizationId }
  const release = await platform.api().post<{ id: string }>('/v1/firmware/releases', here)
  const template = await platform.api().post<{ templateId: string }>('/v1/firmware/deployment-templates', {
    ...here,
    steps: [{ name: 'firmware', type: 'SetProperty', value: '{{releaseName}}' }],
    status: {
      statusPropertyName: 'firmwareStatus',
      statusType: 'ReportedProperty',
      statusMap: {
        successStatuses: [{ value: 'Succeeded' }],
        failureStatuses: [{ value: 'Failed' }],
        rejectStatuses: [],
        cancelStatuses: [],
      },
    },
  })
  return {
    ...here,
    releaseId: release.id,
    deploymentTemplateId: template.templateId,
    deviceIds: Array.from({ length: CLIENTS }, (_, index) => `pump-${index + 1}`),
    rollout: { waves: [1, 10, 100] },
  }
}
