import Type, { type Static } from 'typebox'
import { DeviceId, FreeObject, Nullable, Timestamp, formatTimestamp, Uuid } from '../../http/shapes.ts'
import { UpdateKind, UpdateStatus } from './query.ts'
import type { listClientUpdates, UpdateRow } from './store.ts'

export const CancelUpdate = Type.Object({ providerClientId: DeviceId, deploymentId: Type.Optional(Uuid) })

/** [docs/firmware#updates] */
export const UpdateRecord = Type.Object(
  {
    id: Uuid,
    deploymentId: Uuid,
    providerClientId: Type.String(),
    providerClientName: Type.String({ description: 'The display name of the client' }),
    providerId: Type.String(),
    kind: UpdateKind,
    wave: Type.Integer({ description: '0 if the client is excluded from the rollout' }),
    status: UpdateStatus,
    statusValue: Nullable(FreeObject),
    currentStep: Type.Integer({ description: 'Counted from 1; 0 before the first' }),
    logs: Type.Array(
      Type.Object({
        timestamp: Timestamp,
        message: Type.String(),
        level: Type.Enum(['Info', 'Warning', 'Error']),
        step: Type.Integer(),
      }),
    ),
    startedAt: Nullable(Timestamp),
    endedAt: Nullable(Timestamp),
  },
  { title: 'FirmwareUpdate' },
)

/** An update in the history of a client. */
export const ClientUpdateRecord = Type.Object(
  {
    ...UpdateRecord.properties,
    deploymentName: Type.String(),
    releaseName: Nullable(
      Type.String({ description: 'The release that it installs; null for a rollback to none' }),
    ),
  },
  { title: 'FirmwareUpdateOfClient' },
)

export const clientUpdateShape = (
  row: Awaited<ReturnType<typeof listClientUpdates>>[number],
): Static<typeof ClientUpdateRecord> => ({
  ...updateShape(row),
  deploymentName: row.deployment_name,
  releaseName: row.release_name,
})

export const updateShape = (row: UpdateRow): Static<typeof UpdateRecord> => ({
  id: row.id,
  deploymentId: row.deployment_id,
  providerClientId: row.client_id,
  providerClientName: row.client_name,
  providerId: row.provider_id,
  kind: row.kind,
  wave: row.wave,
  status: row.state,
  statusValue: asObject(row.status_value),
  currentStep: row.current_step,
  logs: row.logs,
  startedAt: formatTimestamp(row.started_at),
  endedAt: formatTimestamp(row.ended_at),
})

/** The API shows an object, but a device may report a single value. */
function asObject(value: unknown): Record<string, unknown> | null {
  if (value === null) return null
  return typeof value === 'object' && !Array.isArray(value) ? { ...value } : { status: value }
}
