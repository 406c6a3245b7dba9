/** Tables of notifications. */
import type { Generated } from 'kysely'
import type { CreatedAt, Json, Timestamp } from './columns.ts'

/** How a notification is sent. */
export interface NotificationChannels {
  email: { active: boolean; template: string; from: string; subject: string }
  sms: { active: boolean; template: string; from: string }
}
export type DeliveryState = 'queued' | 'sent' | 'failed' | 'skipped' | 'not_configured'

export interface NotificationTables {
  contact_groups: {
    id: string
    tenant_id: string
    organization_id: string
    display_name: string
    description: string | null
    created_at: CreatedAt
  }
  contact_group_users: { contact_group_id: string; user_id: string; place: number }
  contact_group_user_groups: { contact_group_id: string; group_id: string; place: number }
  notifications: {
    id: string
    tenant_id: string
    organization_id: string
    display_name: string
    description: string | null
    broadcast: boolean
    channels: Json<NotificationChannels>
    workflow_id: string
    trigger_identifier: string
    created_at: CreatedAt
  }
  notification_alarms: { notification_id: string; alarm_id: string; place: number }
  notification_contact_groups: { notification_id: string; contact_group_id: string; place: number }
  notification_messages: {
    id: string
    tenant_id: string
    notification_id: string
    alarm_status_id: string
    alarm_id: string
    asset_id: string
    channel: 'email' | 'sms'
    sender: string
    subject: string
    template: string
    template_values: Json<Record<string, string>>
    created_at: CreatedAt
  }
  notification_deliveries: {
    id: string
    message_id: string
    user_id: string
    address: string | null
    state: DeliveryState
    reason: string | null
    message: string | null
    attempts: Generated<number>
    last_attempt_at: Timestamp | null
    sent_at: Timestamp | null
  }
}
