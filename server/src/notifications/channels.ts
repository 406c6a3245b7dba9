/** The channels of a notification, and the checks of their settings. [docs/notifications#channels] */
import Type, { type Static } from 'typebox'
import type { NotificationChannels } from '../database/tables/notifications.ts'
import { type Issue, validationError } from '../http/errors.ts'
import { parseSender } from './sender.ts'
import { templateIssues } from './message-template.ts'

const MAX_EMAIL_CHARACTERS = 65_536
/** Limit of SMS gateways, for ten parts. */
const MAX_SMS_CHARACTERS = 1600
const MAX_SUBJECT_CHARACTERS = 512
const MAX_SENDER_CHARACTERS = 320

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))

/** Absent fields stay as they are; at first, channels are inactive and empty. */
export const ChannelChanges = Type.Object({
  email: Type.Optional(
    Type.Object({
      active: Type.Optional(Type.Boolean()),
      template: text(MAX_EMAIL_CHARACTERS),
      from: text(MAX_SENDER_CHARACTERS),
      subject: text(MAX_SUBJECT_CHARACTERS),
    }),
  ),
  sms: Type.Optional(
    Type.Object({
      active: Type.Optional(Type.Boolean()),
      template: text(MAX_SMS_CHARACTERS),
      from: text(MAX_SENDER_CHARACTERS),
    }),
  ),
})
export type ChannelChanges = Static<typeof ChannelChanges>

export const Channels = Type.Object({
  email: Type.Object({
    active: Type.Boolean(),
    template: Type.String(),
    from: Type.String(),
    subject: Type.String(),
  }),
  sms: Type.Object({ active: Type.Boolean(), template: Type.String(), from: Type.String() }),
})

export const noChannels: NotificationChannels = {
  email: { active: false, template: '', from: '', subject: '' },
  sms: { active: false, template: '', from: '' },
}

/** @throws validation_error for settings that cannot be sent */
export function changeChannels(
  before: NotificationChannels,
  changes: ChannelChanges = {},
): NotificationChannels {
  const email = { ...before.email, ...changes.email }
  const sms = { ...before.sms, ...changes.sms }
  const issues = [
    ...channelIssues('email', email),
    ...channelIssues('sms', sms),
    ...templateIssues(email.subject, 'channels.email.subject'),
    ...headerIssues(email.subject, 'channels.email.subject'),
  ]
  if (email.from && !parseSender(email.from))
    issues.push({
      path: 'channels.email.from',
      message: 'must be a display name, me@example.com or Name <me@example.com>, on one line',
    })
  if (sms.from && !isSmsSender(sms.from))
    issues.push({
      path: 'channels.sms.from',
      message: 'must be a number such as +491701234567, a short number, or 1 to 11 letters and digits',
    })
  if (issues.length > 0) throw validationError(...issues)
  return { email, sms }
}

function channelIssues(name: string, { active, template }: { active: boolean; template: string }): Issue[] {
  const path = `channels.${name}.template`
  const empty =
    active && template.trim() === '' ? [{ path, message: 'must not be empty while active is true' }] : []
  return [...empty, ...templateIssues(template, path)]
}

/** A line break would start another header. */
const headerIssues = (line: string, path: string): Issue[] =>
  /\p{Cc}/u.test(line) ? [{ path, message: 'must be one line, without control characters' }] : []

const isSmsSender = (from: string) =>
  /^\+[1-9][0-9]{6,14}$/.test(from) ||
  /^[0-9]{3,8}$/.test(from) ||
  (/^[A-Za-z0-9 ]{1,11}$/.test(from) && /[A-Za-z]/.test(from))
