import type { ColumnType, Generated, Selectable } from 'kysely'
import type { Caller } from '../../http/access.ts'
import type { Json, NullableJson, OptionalJson } from './columns.ts'

type Time = ColumnType<Date | null, Date | null | undefined, Date | null>
/** A bigint, which PostgreSQL returns as text. */
type Count = ColumnType<string, number | undefined, number>

export type SimulationState = 'stopped' | 'starting' | 'running' | 'stopping' | 'deleting'

export interface SimulatedSignal {
  name: string
  component?: string
  generator: 'constant' | 'sine' | 'randomWalk' | 'steps' | 'csv'
  value?: number | boolean | string
  amplitude?: number
  offset?: number
  periodSeconds?: number
  noise?: number
  start?: number
  step?: number
  min?: number
  max?: number
  values?: (number | boolean | string)[]
  holdSeconds?: number
  resourceId?: string
  column?: string
  loop?: boolean
}
export interface SimulatedMethod {
  name: string
  status: number
  payload?: unknown
  delaySeconds?: number
}
export interface SimulatedFirmware {
  deploymentTemplateId: string
  durationSeconds?: number
  failurePercent?: number
  offlinePercent?: number
  offlineSeconds?: number
}
export interface SimulationFault {
  kind: 'silence' | 'spikes' | 'offline'
  deviceIds: string[]
  factor?: number
  since: string
  until: string
}

/** `devices` counts the devices that exist at the provider, as text. */
export type SimulationRow = Selectable<SimulationTables['simulations']> & { devices: string }

export interface SimulationTables {
  simulations: {
    id: string
    tenant_id: string
    organization_id: string
    display_name: string
    description: string | null
    provider_id: string
    model_id: string | null
    device_count: number
    device_id_prefix: string
    interval_seconds: number
    signals: Json<SimulatedSignal[]>
    methods: OptionalJson<SimulatedMethod[]>
    firmware: ColumnType<SimulatedFirmware | null, string | null, string | null>
    state: Generated<SimulationState>
    started_by: NullableJson<Caller>
    started_at: Time
    faults: OptionalJson<SimulationFault[]>
    lease_node: string | null
    lease_until: Time
    connected: Generated<number>
    sent: Count
    acknowledged: Count
    errors: Count
    last_error: string | null
    created_at: ColumnType<Date, Date | undefined, never>
  }
  simulation_devices: {
    simulation_id: string
    client_id: string
    made_client: boolean
    made_asset: boolean
  }
}
