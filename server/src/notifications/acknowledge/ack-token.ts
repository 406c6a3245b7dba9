/**
 * The token in an acknowledgement link names a status of an alarm and the user who may acknowledge it, for 7 days. It
 * is sealed, so that it can be neither forged nor read elsewhere, nor used for anything else. It is short because it is
 * part of an SMS. [docs/notifications#acknowledge-links]
 */
import type { Context } from '../../context.ts'
import { publicUrl } from '../../http/public-url.ts'
import type { Sealer } from '../../lib/seal.ts'

export interface AckClaims {
  tenantId: string
  alarmStatusId: string
  userId: string
}

const PURPOSE = 'ack'
export const ACK_TOKEN_SECONDS = 7 * 24 * 3600

export function issueAckToken(sealer: Sealer, { tenantId, alarmStatusId, userId }: AckClaims): string {
  const expiresAt = Math.floor(Date.now() / 1000) + ACK_TOKEN_SECONDS
  const claims = [shorten(alarmStatusId), shorten(userId), expiresAt.toString(36), tenantId]
  return sealer.seal(claims.join(' '), PURPOSE).toString('base64url')
}

/** @returns undefined for a token that is not ours or was changed */
export function openAckToken(
  sealer: Sealer,
  token: string,
): (AckClaims & { isExpired: boolean }) | undefined {
  let text: string
  try {
    text = sealer.open(Buffer.from(token, 'base64url'), PURPOSE)
  } catch {
    return undefined
  }
  const [status = '', user = '', expiresAt = '', tenantId = ''] = text.split(' ')
  return {
    tenantId,
    alarmStatusId: lengthen(status),
    userId: lengthen(user),
    isExpired: Number.parseInt(expiresAt, 36) < Date.now() / 1000,
  }
}

export const issueAckUrl = (
  ctx: Pick<Context, 'config' | 'endpoints' | 'sealer'>,
  claims: AckClaims,
): string => `${ackBaseUrl(ctx)}${issueAckToken(ctx.sealer, claims)}`

/** The link as it is shown to anyone but its recipient. */
export const hiddenAckUrl = (ctx: Pick<Context, 'config' | 'endpoints'>): string => `${ackBaseUrl(ctx)}…`

const ackBaseUrl = (ctx: Pick<Context, 'config' | 'endpoints'>) => `${publicUrl(ctx)}/ack/`

/** Shortens a UUID to 22 characters. */
const shorten = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')
const lengthen = (text: string) =>
  Buffer.from(text, 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
