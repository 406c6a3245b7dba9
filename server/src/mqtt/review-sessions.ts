/** After a time in which changes of clients went unheard: ends the sessions that should have ended meanwhile. */
import type pg from 'pg'
import { type Account, listAccounts } from './accounts.ts'
import type { Connection, Session } from './connection.ts'
import type { Sessions } from './sessions.ts'

const AT_ONCE = 1000

export async function reviewSessions(
  pool: pg.Pool,
  { byDevice }: Sessions,
  sendDesired: (connection: Connection, filters: Iterable<string>) => void,
): Promise<void> {
  const deviceIds = [...byDevice.keys()]
  for (let at = 0; at < deviceIds.length; at += AT_ONCE) {
    const chunk = deviceIds.slice(at, at + AT_ONCE)
    const accounts = new Map((await listAccounts(pool, chunk)).map((account) => [account.id, account]))
    for (const id of chunk)
      for (const session of [...(byDevice.get(id) ?? [])]) {
        review(session, accounts.get(id))
        sendDesired(session.connection, session.filters.keys())
      }
  }
}

function review({ account, keyHash, live }: Session, now: Account | undefined): void {
  if (now?.number !== account.number) return live.end('client_deleted', 'The client was deleted.')
  if (!now.enabled) return live.end('client_disabled', 'The client was disabled.')
  if (keyHash === now.primaryKeyHash) live.signedInWith = 'primary'
  else if (keyHash !== now.secondaryKeyHash) live.end('keys_rotated', 'The key that the device signed in with is no longer valid.')
}
