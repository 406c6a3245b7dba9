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
import { PlatformSearchQuery } from '../../http/page.ts'
import type { DeploymentRow, UpdateState } from '../../database/tables/firmware.ts'
import type { WaveCounts } from './list-counts.ts'

/** The maximum number of clients of a deployment. */
export const MAX_CLIENTS = 100_000

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

/** The ids of the clients of a deployment. */
export const DeploymentDevices = Type.Array(DeviceId, {
  minItems: 1,
  maxItems: MAX_CLIENTS,
  description: 'Provider clients',
})

export const CreateDeployment = Type.Object({
  displayName: DisplayName,
  description: Type.Optional(Description),
  deploymentTemplateId: Uuid,
  releaseId: Uuid,
  deviceIds: DeploymentDevices,
  organizationId: Uuid,
  rollout: Type.Optional(Rollout),
  timeoutSeconds: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 30 * 24 * 3600 }))),
})
export type CreateDeployment = Static<typeof CreateDeployment>

export const DeploymentPath = Type.Object({ deploymentId: Uuid })

const DeploymentStatusName = Type.Enum(['Ready', 'Running', 'Paused', 'Stopped', 'Cancelled', 'Completed'])

export const DeploymentQuery = Type.Object({
  ...PlatformSearchQuery.properties,
  status: Type.Optional(DeploymentStatusName),
  ended: Type.Optional(
    Type.Boolean({ description: 'Only deployments whose updates have all ended, or have not' }),
  ),
  failing: Type.Optional(
    Type.Boolean({ description: 'Only deployments with failed or rejected updates, or without' }),
  ),
  releaseId: Type.Optional({ ...Uuid, description: 'Only deployments of this release' }),
})
export type DeploymentQuery = Static<typeof DeploymentQuery>

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
  status: DeploymentStatusName,
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
const summed = { total: Count, counts: Type.Object(counts) }
export const DeploymentSummary = Type.Object({ ...fields, ...summed }, { title: 'DeploymentSummary' })

export const DeploymentDetails = Type.Object(
  {
    ...fields,
    ...summed,
    waves: Type.Array(Type.Object({ wave: Count, percent: Type.Number(), ...counts })),
    rollbacks: Type.Object(counts),
  },
  { title: 'DeploymentDetails' },
)

/** Clients by the release that they had before; null where none is known. */
export const PreviousReleases = Type.Array(
  Type.Object({
    releaseId: Nullable(Uuid),
    releaseName: Nullable(Type.String()),
    clients: Count,
  }),
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

const sum = (counted: Pick<WaveCounts, 'state' | 'count'>[]) =>
  counted.reduce((total, { state, count }) => ({ ...total, [state]: total[state] + count }), none)

/** @param counted the updates of the deployment, without rollbacks */
export const summaryShape = (
  row: DeploymentRow,
  counted: Pick<WaveCounts, 'state' | 'count'>[],
): Static<typeof DeploymentSummary> => ({
  ...deploymentShape(row),
  total: counted.reduce((total, { count }) => total + count, 0),
  counts: sum(counted),
})

export function detailsShape(row: DeploymentRow, counted: WaveCounts[]): Static<typeof DeploymentDetails> {
  const updates = counted.filter(({ kind }) => kind === 'update')
  return {
    ...summaryShape(row, updates),
    waves: row.rollout.waves.map((percent, index) => ({
      wave: index + 1,
      percent,
      ...sum(updates.filter(({ wave }) => wave === index + 1)),
    })),
    rollbacks: sum(counted.filter(({ kind }) => kind === 'rollback')),
  }
}
