/** Brings sessions in line with the stored accounts, after changes of clients that were received or may have been missed. */
import type { Context } from '../../context.ts'
import { type Account, listAccounts } from './accounts.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Session } from '../state.ts'

const AT_ONCE = 1000

/**
 * Ends the sessions of clients that are disabled or deleted, or whose key is no longer valid; the other sessions get the
 * current parser of their client. The stored account decides, so that a change may arrive twice, or at a session that
 * began after it.
 * @param message tells the client's operator who made which change, if that is known
 */
export async function reviewSessions(
  ctx: Pick<Context, 'pool' | 'parsers'>,
  sessions: Sessions,
  deviceIds: string[],
  message?: string,
): Promise<void> {
  const present = deviceIds.filter((id) => sessions.byDevice.has(id))
  for (let at = 0; at < present.length; at += AT_ONCE) {
    const chunk = present.slice(at, at + AT_ONCE)
    const accounts = new Map((await listAccounts(ctx, chunk)).map((account) => [account.id, account]))
    for (const id of chunk)
      for (const session of sessions.byDevice.get(id)?.connected ?? [])
        review(session, accounts.get(id), message)
  }
}

function review({ account, keyHash, live }: Session, now: Account | undefined, message?: string): void {
  if (now?.number !== account.number) return live.end('client_deleted', message ?? 'The client was deleted.')
  if (!now.enabled) return live.end('client_disabled', message ?? 'The client was disabled.')
  account.parse = now.parse
  if (keyHash === now.primaryKeyHash) live.signedInWith = 'primary'
  else if (keyHash === now.secondaryKeyHash) live.signedInWith = 'secondary'
  else live.end('keys_rotated', message ?? 'The key that the device signed in with is no longer valid.')
}
