import type { ColumnType, Generated } from 'kysely'
import type { CreatedAt, Timestamp } from './columns.ts'

export interface TimeseriesTables {
  series: {
    number: Generated<number>
    tenant_number: number
    owner_type: 'client' | 'asset'
    owner_id: string
    component_id: Generated<string>
    name: string
    type: 'telemetry' | 'propertyReported'
    created_at: CreatedAt
  }
  samples: {
    tenant_number: number
    series_number: number
    time: Timestamp
    message_id: string
    value: number
  }
  samples_other: {
    tenant_number: number
    series_number: number
    time: Timestamp
    message_id: string
    value: ColumnType<unknown, string, string>
  }
}
