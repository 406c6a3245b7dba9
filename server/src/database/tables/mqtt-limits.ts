export interface MqttLimitTables {
  mqtt_limit_events: {
    client_number: number
    limit_name: string
    outcome: 'delayed' | 'dropped' | 'refused'
    /** An int8, which is read as text. */
    count: string
    bytes: string
    delay_ms: string
    first_at: Date
    last_at: Date
    message: string
  }
}
