/** The texts of messages, and the values of their variables, as they were when the alarm became active. */
import type { Kysely, Selectable } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { newId } from '../../lib/ids.ts'
import { escapeHtml, htmlOfText, isHtml, textOfHtml } from '../html.ts'
import { type MessageValues, renderTemplate, valueText } from '../message-template.ts'
import type { Channel } from '../recipients.ts'
import type { NotificationRow } from '../store.ts'

type MessageRow = Selectable<Tables['notification_messages']>

export const DEFAULT_SUBJECT = '{{alarmName}}: {{assetName}}'

/**
 * Inserts a message for each active channel.
 * @returns the ids, including those of messages that existed already
 */
export async function insertMessages(
  tx: Kysely<Tables>,
  notification: NotificationRow,
  status: Selectable<Tables['alarm_statuses']>,
): Promise<{ id: string; channel: Channel }[]> {
  const { email, sms } = notification.channels
  const texts = [
    { ...email, channel: 'email' as const, subject: email.subject || DEFAULT_SUBJECT },
    { ...sms, channel: 'sms' as const, subject: '' },
  ].filter(({ active }) => active)
  if (texts.length === 0) return []
  const cause = { notification_id: notification.id, alarm_status_id: status.id }
  const rows = texts.map(({ channel, from, subject, template }) => ({
    id: newId(),
    tenant_id: notification.tenant_id,
    ...cause,
    alarm_id: status.alarm_id,
    asset_id: status.asset_id,
    channel,
    sender: from,
    subject,
    template,
    template_values: JSON.stringify(templateValues(status)),
  }))
  await tx
    .insertInto('notification_messages')
    .values(rows)
    .onConflict((oc) => oc.doNothing())
    .execute()
  return tx
    .selectFrom('notification_messages')
    .select(['id', 'channel'])
    .where('notification_id', '=', cause.notification_id)
    .where('alarm_status_id', '=', cause.alarm_status_id)
    .execute()
}

const templateValues = (status: Selectable<Tables['alarm_statuses']>): Omit<MessageValues, 'ackUrl'> => ({
  alarmName: oneLine(status.alarm_name),
  assetName: oneLine(status.asset_name),
  severity: String(status.severity),
  value: oneLine(valueText(status.value)),
  time: status.time.toISOString(),
})

/** A line break would start another header, or look like a line of the message itself. */
const oneLine = (text: string) => text.replace(/\p{Cc}+/gu, ' ')

type Texts = Pick<MessageRow, 'template' | 'subject' | 'template_values'>

const valuesWith = ({ template_values }: Texts, ackUrl: string) =>
  ({ ...template_values, ackUrl }) as MessageValues

export const renderSubject = (message: Texts, ackUrl: string): string =>
  renderTemplate(message.subject, valuesWith(message, ackUrl))

export const renderText = (message: Texts, ackUrl: string): string => {
  const { template } = message
  return renderTemplate(isHtml(template) ? textOfHtml(template) : template, valuesWith(message, ackUrl))
}

export const renderHtml = (message: Texts, ackUrl: string): string => {
  const { template } = message
  const html = isHtml(template) ? template : htmlOfText(template)
  return renderTemplate(html, valuesWith(message, ackUrl), escapeHtml)
}
