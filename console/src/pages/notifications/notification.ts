import type { Body, Schemas } from '@gangway/client'

export type Notification = Schemas['Notification']
export type Channel = 'email' | 'sms'

/** A notification as it is edited, with the API's names, so that refusals find their fields. */
export interface NotificationValues {
  displayName: string
  description: string
  /** Chosen once; '' is the first one. */
  organizationId: string
  trigger: string[]
  broadcast: boolean
  subscribers: string[]
  channels: Notification['channels']
}

export const newNotification: NotificationValues = {
  displayName: '',
  description: '',
  organizationId: '',
  trigger: [],
  broadcast: true,
  subscribers: [],
  channels: {
    email: { active: true, template: '', from: '', subject: '' },
    sms: { active: false, template: '', from: '' },
  },
}

export const startValues = (notification: Notification): NotificationValues => ({
  displayName: notification.displayName,
  description: notification.description ?? '',
  organizationId: notification.organizationId,
  trigger: notification.trigger.alarmTrigger,
  broadcast: notification.broadcast,
  subscribers: notification.subscribers.contactGroups.map(({ contactGroupId }) => contactGroupId),
  channels: notification.channels,
})

/** The body of the request, without the organization, which does not change. */
export const writeBody = (values: NotificationValues) =>
  ({
    displayName: values.displayName.trim(),
    description: values.description.trim() || null,
    trigger: { alarmTrigger: values.trigger },
    broadcast: values.broadcast,
    channels: values.channels,
    subscribers: { contactGroups: values.subscribers.map((contactGroupId) => ({ contactGroupId })) },
  }) satisfies Body<'patch', '/v1/notifications/{notificationId}'>
