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
    stream_number: number
    slot: number
  }
  streams: {
    number: Generated<number>
    tenant_number: number
    owner_type: 'client' | 'asset'
    owner_id: string
    type: 'telemetry' | 'propertyReported'
    series_count: Generated<number>
    last_hours: Generated<(number | null)[]>
  }
  sample_rows: {
    tenant_number: number
    stream_number: number
    time: Timestamp
    message_id: string
    numbers: (number | null)[] | null
    others: ColumnType<Record<string, unknown> | null, string | null, string | null>
  }
  packed_rows: {
    tenant_number: number
    stream_number: number
    first_time: Timestamp
    first_message: string
    last_time: Timestamp
    row_count: number
    value_count: number
    sections: number[]
    ends: number[]
    last_times: Timestamp[]
    last_messages: string[]
    last_numbers: (number | null)[]
    last_others: ColumnType<Record<string, unknown> | null, string | null, string | null>
    data: Buffer
    rollup_ends: number[] | null
    rollups: Buffer | null
    day_values: number[] | null
  }
  kept_rollups: {
    tenant_number: number
    stream_number: number
    first_time: Timestamp
    first_message: string
    last_time: Timestamp
    slots: number[]
    ends: number[]
    data: Buffer
  }
  lake_days: {
    tenant_number: number
    /** UTC, as 2026-11-22. */
    day: string
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
