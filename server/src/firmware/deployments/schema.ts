import Type, { type Static } from 'typebox'
import {
  Description,
  DeviceId,
  DisplayName,
  Nullable,
  Timestamp,
  formatTimestamp,
  Uuid,
} from '../../http/shapes.ts'
import type { DeploymentRow, UpdateState } from '../../database/tables/firmware.ts'
import type { WaveCounts } from './list-counts.ts'

const MAX_CLIENTS = 100_000

const Rollout = Type.Object({
  waves: Type.Optional(
    Type.Array(Type.Number({ exclusiveMinimum: 0, maximum: 100 }), {
      minItems: 1,
      maxItems: 20,
      description: 'Percentages of the clients, ascending; the last one is 100',
    }),
  ),
  failureThresholdPercent: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
  healthAlarmIds: Type.Optional(Type.Array(Uuid, { maxItems: 100 })),
  rollback: Type.Optional(Type.Boolean()),
})

export const CreateDeployment = Type.Object({
  displayName: DisplayName,
  description: Type.Optional(Description),
  deploymentTemplateId: Uuid,
  releaseId: Uuid,
  deviceIds: Type.Array(DeviceId, { minItems: 1, maxItems: MAX_CLIENTS, description: 'Provider clients' }),
  organizationId: Uuid,
  rollout: Type.Optional(Rollout),
  timeoutSeconds: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 30 * 24 * 3600 }))),
})
export type CreateDeployment = Static<typeof CreateDeployment>

export const DeploymentPath = Type.Object({ deploymentId: Uuid })

const fields = {
  id: Uuid,
  displayName: Type.String(),
  description: Description,
  deploymentTemplateId: Uuid,
  releaseId: Uuid,
  releaseName: Type.String(),
  organizationId: Uuid,
  rollout: Type.Object({
    waves: Type.Array(Type.Number()),
    failureThresholdPercent: Type.Number(),
    healthAlarmIds: Type.Array(Uuid),
    rollback: Type.Boolean(),
  }),
  timeoutSeconds: Nullable(Type.Integer()),
  status: Type.Enum(['Ready', 'Running', 'Paused', 'Stopped', 'Cancelled', 'Completed']),
  statusMessage: Nullable(Type.String()),
  wave: Type.Integer({ description: 'The last wave that was started; 0 before the first' }),
  createdAt: Timestamp,
  startedAt: Nullable(Timestamp),
  endedAt: Nullable(Timestamp),
}

export const DeploymentRecord = Type.Object(fields, { title: 'Deployment' })

const Count = Type.Integer()
const counts = {
  Ready: Count,
  Running: Count,
  Succeeded: Count,
  Failed: Count,
  Rejected: Count,
  Cancelled: Count,
}
export const DeploymentDetails = Type.Object(
  {
    ...fields,
    total: Count,
    counts: Type.Object(counts),
    waves: Type.Array(Type.Object({ wave: Count, percent: Type.Number(), ...counts })),
    rollbacks: Type.Object(counts),
  },
  { title: 'DeploymentDetails' },
)

export const deploymentShape = (row: DeploymentRow): Static<typeof DeploymentRecord> => ({
  id: row.id,
  displayName: row.display_name,
  description: row.description,
  deploymentTemplateId: row.deployment_template_id,
  releaseId: row.release_id,
  releaseName: row.plan.releaseName,
  organizationId: row.organization_id,
  rollout: row.rollout,
  timeoutSeconds: row.timeout_seconds,
  status: row.status,
  statusMessage: row.status_message,
  wave: row.wave,
  createdAt: formatTimestamp(row.created_at)!,
  startedAt: formatTimestamp(row.started_at),
  endedAt: formatTimestamp(row.ended_at),
})

const none: Record<UpdateState, number> = {
  Ready: 0,
  Running: 0,
  Succeeded: 0,
  Failed: 0,
  Rejected: 0,
  Cancelled: 0,
}

export function detailsShape(row: DeploymentRow, counted: WaveCounts[]): Static<typeof DeploymentDetails> {
  const sum = (kept: WaveCounts[]) =>
    kept.reduce((total, { state, count }) => ({ ...total, [state]: total[state] + count }), none)
  const updates = counted.filter(({ kind }) => kind === 'update')
  return {
    ...deploymentShape(row),
    total: updates.reduce((total, { count }) => total + count, 0),
    counts: sum(updates),
    waves: row.rollout.waves.map((percent, index) => ({
      wave: index + 1,
      percent,
      ...sum(updates.filter(({ wave }) => wave === index + 1)),
    })),
    rollbacks: sum(counted.filter(({ kind }) => kind === 'rollback')),
  }
}
