import Type, { type Static } from 'typebox'
import { Description, DisplayName, Uuid } from '../http/shapes.ts'
import { ChannelChanges, Channels } from './channels.ts'
import type { NotificationRow } from './store.ts'

export const MAX_ALARMS = 1000
export const MAX_CONTACT_GROUPS = 1000

const Trigger = Type.Object({ alarmTrigger: Type.Array(Uuid, { maxItems: MAX_ALARMS }) })
const Subscribers = Type.Object({
  contactGroups: Type.Array(Type.Object({ contactGroupId: Uuid }), { maxItems: MAX_CONTACT_GROUPS }),
})

export const CreateNotification = Type.Object({
  displayName: DisplayName,
  description: Type.Optional(Description),
  trigger: Trigger,
  broadcast: Type.Boolean(),
  channels: ChannelChanges,
  organizationId: Uuid,
  subscribers: Type.Optional(Subscribers),
})
export type CreateNotification = Static<typeof CreateNotification>

export const ChangeNotification = Type.Object({
  displayName: Type.Optional(DisplayName),
  description: Type.Optional(Description),
  trigger: Type.Optional(Trigger),
  broadcast: Type.Optional(Type.Boolean()),
  channels: Type.Optional({ ...ChannelChanges, description: 'Absent fields do not change' }),
  subscribers: Type.Optional(Subscribers),
})
export type ChangeNotification = Static<typeof ChangeNotification>

export const NotificationRecord = Type.Object(
  {
    id: Uuid,
    displayName: Type.String(),
    description: Description,
    trigger: Trigger,
    broadcast: Type.Boolean(),
    channels: Channels,
    organizationId: Uuid,
    subscribers: Subscribers,
    workflowId: Type.String(),
    triggerIdentifier: Type.String(),
  },
  { title: 'Notification' },
)

export const notificationShape = (row: NotificationRow) => ({
  id: row.id,
  displayName: row.display_name,
  description: row.description,
  trigger: { alarmTrigger: row.alarm_ids },
  broadcast: row.broadcast,
  channels: row.channels,
  organizationId: row.organization_id,
  subscribers: { contactGroups: row.contact_group_ids.map((contactGroupId) => ({ contactGroupId })) },
  workflowId: row.workflow_id,
  triggerIdentifier: row.trigger_identifier,
})
