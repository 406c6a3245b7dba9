import type { ColumnType, Generated } from 'kysely'
import type { Caller } from '../../http/access.ts'
import type { Fault } from '../../simulations/faults/fault.ts'
import type { Signal } from '../../simulations/generators/signal.ts'
import type { SimulatedFirmware } from '../../simulations/firmware/schema.ts'
import type { SimulatedMethod } from '../../simulations/methods/method.ts'
import type { SimulationState } from '../../simulations/states.ts'

type Json<T> = ColumnType<T, string, string>
type Time = ColumnType<Date | null, Date | null | undefined, Date | null>
/** A bigint of PostgreSQL comes as text. */
type Count = ColumnType<string, number | undefined, number>

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
    signals: Json<Signal[]>
    methods: ColumnType<SimulatedMethod[], string | undefined, string>
    firmware: ColumnType<SimulatedFirmware | null, string | null, string | null>
    state: Generated<SimulationState>
    started_by: ColumnType<Caller | null, string | null | undefined, string | null>
    started_at: Time
    faults: ColumnType<Fault[], string | undefined, string>
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
