/** Tables of firmware. */
import type { Generated, Selectable } from 'kysely'
import type { CreatedAt, Json, NullableJson, OptionalJson, Timestamp } from './columns.ts'

export type DeploymentStatus = 'Ready' | 'Running' | 'Paused' | 'Stopped' | 'Cancelled' | 'Completed'
export type UpdateState = 'Ready' | 'Running' | 'Succeeded' | 'Failed' | 'Rejected' | 'Cancelled'
export type UpdateKind = 'update' | 'rollback'

export interface StartingModel {
  id: string
  displayName?: string
}
export interface PropertyValue {
  key: string
  value: unknown
}

interface Step {
  name: string
  displayName?: string
  type: 'SetProperty'
  value: unknown
}
type StatusValues = { value: unknown }[]
export interface StatusMap {
  successStatuses: StatusValues
  failureStatuses: StatusValues
  rejectStatuses: StatusValues
  cancelStatuses: StatusValues
}
export interface StatusRule {
  statusPropertyName: string
  statusMap: StatusMap
  statusType: 'ReportedProperty'
}

/** The content of a deployment, copied from release and template at its creation. */
export interface DeploymentPlan {
  releaseName: string
  startingModelIds: string[]
  propertyValues: PropertyValue[]
  file: { resourceId: string; name: string; sha256: string } | null
  steps: Step[]
  status: StatusRule
}

export interface Rollout {
  /** Percent of the clients, ascending, the last one 100. */
  waves: number[]
  failureThresholdPercent: number
  healthAlarmIds: string[]
  rollback: boolean
}

export interface UpdateLog {
  timestamp: string
  message: string
  level: 'Info' | 'Warning' | 'Error'
  step: number
}

export interface FirmwareTables {
  firmware_releases: {
    id: string
    tenant_id: string
    organization_id: string
    display_name: string
    description: string | null
    starting_models: OptionalJson<StartingModel[]>
    property_values: OptionalJson<PropertyValue[]>
    file_resource_id: string | null
    file_name: string | null
    created_at: CreatedAt
  }
  deployment_templates: {
    id: string
    tenant_id: string
    organization_id: string
    display_name: string
    description: string | null
    version: string | null
    steps: Json<Step[]>
    status: Json<StatusRule>
    created_at: CreatedAt
  }
  deployments: {
    id: string
    tenant_id: string
    organization_id: string
    display_name: string
    description: string | null
    deployment_template_id: string
    release_id: string
    plan: Json<DeploymentPlan>
    rollout: Json<Rollout>
    timeout_seconds: number | null
    status: DeploymentStatus
    status_message: string | null
    wave: Generated<number>
    created_at: CreatedAt
    started_at: Timestamp | null
    ended_at: Timestamp | null
  }
  firmware_updates: {
    id: string
    tenant_id: string
    deployment_id: string
    client_number: number
    kind: UpdateKind
    place: number
    wave: number
    state: UpdateState
    current_step: Generated<number>
    step_due: Generated<boolean>
    status_before: NullableJson<unknown>
    status_value: NullableJson<unknown>
    logs: OptionalJson<UpdateLog[]>
    desired_before: NullableJson<Record<string, unknown>>
    back_to_deployment_id: string | null
    retry_at: Timestamp | null
    created_at: CreatedAt
    started_at: Timestamp | null
    step_set_at: Timestamp | null
    ended_at: Timestamp | null
  }
}

export type DeploymentTemplateRow = Selectable<FirmwareTables['deployment_templates']>
export type DeploymentRow = Selectable<FirmwareTables['deployments']>
