/**
 * Decides which users receive a notification of an alarm on an asset, and why others do not.
 * [docs/notifications#recipients]
 */
import type { Kysely } from 'kysely'
import { listSubjects } from '../access/decisions/list-subjects.ts'
import type { Resource } from '../access/decisions/access-sql.ts'
import { queriesIn } from '../access/decisions/queries.ts'
import type { Tables } from '../database/tables.ts'
import type { Config } from '../config.ts'
import { type Candidate, listCandidates } from './candidates.ts'
import { internationalNumber } from './phone-number.ts'
import type { NotificationRow } from './store.ts'

export type Channel = 'email' | 'sms'

/** Reasons in the order in which they are checked; the first that applies is shown. */
export const reasons = [
  'alarm_not_in_trigger',
  'not_subscribed',
  'user_disabled',
  'no_access_to_asset',
  'no_access_to_alarm',
  'no_access_to_notification',
  'no_active_channel',
  'no_email_address',
  'no_phone_number',
  'not_configured',
] as const
type Reason = (typeof reasons)[number]

export interface ChannelOfRecipient {
  channel: Channel
  address: string | null
  reason: Reason | null
}

export interface Recipient {
  candidate: Candidate
  /** Reason why the user receives nothing on any channel. */
  refusal: Reason | null
  /** Active channels, each with the reason why it cannot be used. */
  channels: ChannelOfRecipient[]
}

export interface Cause {
  alarmId: string
  assetId: string
}

/** Lists all candidates for the notification, ordered by id. */
export async function listRecipients(
  db: Kysely<Tables>,
  config: Pick<Config, 'smtpUrl' | 'smsUrl'>,
  notification: NotificationRow,
  cause: Cause,
): Promise<Recipient[]> {
  const candidates = await listCandidates(db, notification)
  if (candidates.length === 0) return []
  const refused = await createRefusal(db, notification, cause)
  return candidates.map((candidate) => {
    const channels = listChannels(config, notification, candidate)
    const noChannel = channels.length === 0 ? 'no_active_channel' : null
    return { candidate, channels, refusal: refused(candidate) ?? noChannel }
  })
}

/** Returns a function that tells why a user receives nothing on any channel. */
async function createRefusal(db: Kysely<Tables>, notification: NotificationRow, { alarmId, assetId }: Cause) {
  const findViewers = (resource: Resource) => listViewers(db, notification.tenant_id, resource)
  const ofAsset = await findViewers({ type: 'asset', id: assetId })
  const ofAlarm = await findViewers({ type: 'alarm', id: alarmId })
  const ofNotification = await findViewers({ type: 'notification', id: notification.id })
  const isTriggered = notification.alarm_ids.includes(alarmId)
  return ({ userId, disabled, inContactGroup, inOrganization }: Candidate): Reason | undefined => {
    if (!isTriggered) return 'alarm_not_in_trigger'
    if (!inContactGroup && !(notification.broadcast && inOrganization)) return 'not_subscribed'
    if (disabled) return 'user_disabled'
    if (!ofAsset.has(userId)) return 'no_access_to_asset'
    if (!ofAlarm.has(userId)) return 'no_access_to_alarm'
    if (!ofNotification.has(userId)) return 'no_access_to_notification'
    return undefined
  }
}

const ALL = { limit: 1_000_000_000, after: undefined }

/**
 * One query for all users. A user also counts as the organizations that they are a member of. [docs/access#subjects]
 */
const listViewers = async (db: Kysely<Tables>, tenantId: string, resource: Resource): Promise<Set<string>> =>
  new Set(
    await listSubjects(queriesIn(db), {
      tenantId,
      resource,
      permission: 'view',
      subjectType: 'user',
      page: ALL,
    }),
  )

function listChannels(
  { smtpUrl, smsUrl }: Pick<Config, 'smtpUrl' | 'smsUrl'>,
  { channels: { email, sms } }: NotificationRow,
  candidate: Candidate,
): ChannelOfRecipient[] {
  const phoneNumber = internationalNumber(candidate.phoneNumber ?? '') ?? null
  const all = [
    {
      active: email.active,
      channel: 'email',
      address: candidate.email,
      without: 'no_email_address',
      url: smtpUrl,
    },
    { active: sms.active, channel: 'sms', address: phoneNumber, without: 'no_phone_number', url: smsUrl },
  ] as const
  return all
    .filter(({ active }) => active)
    .map(({ channel, address, without, url }) => ({
      channel,
      address,
      reason: address === null ? without : url ? null : 'not_configured',
    }))
}
