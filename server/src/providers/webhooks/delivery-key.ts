/**
 * The key of the job that delivers an event to a webhook. Keys have decimal digits only, because the collation of the
 * column is that of the database and may order letters or their pairs in its own way: so the keys of one webhook are a
 * range of the index, in the order of the events' ids.
 */
export const deliveryKey = (webhookId: string, eventId: string): string =>
  `webhook/${toDigits(webhookId)}/${toDigits(eventId)}`

/** The digits of the largest UUID. */
const DIGITS = 39

const toDigits = (uuid: string) =>
  BigInt(`0x${uuid.replaceAll('-', '')}`)
    .toString()
    .padStart(DIGITS, '0')
