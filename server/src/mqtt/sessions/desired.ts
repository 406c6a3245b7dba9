/** A device gets its full desired state when it connects and when it subscribes to it. [docs/mqtt#twin] */
import type { Context } from '../../context.ts'
import { coalesce } from '../../lib/coalesce.ts'
import { listDesired } from '../../providers/twin/store.ts'
import { matches } from '../topics.ts'
import type { Session } from '../state.ts'

/** The desired states of all devices of a reconnect storm are read in a few queries. */
export function createDesiredSender({
  db,
  log,
  nodes,
}: Pick<Context, 'db' | 'log' | 'nodes'>): (session: Session, filters: Iterable<string>) => void {
  const load = coalesce(
    async (numbers: number[]) => {
      await nodes.transport.interests.settled()
      return listDesired(db, numbers)
    },
    { maxBatch: 500, concurrency: 2 },
  )

  /** @param filters the desired state is sent if one of them matches its topic */
  return (session, filters) => {
    if (![...filters].some((filter) => matches(filter, session.topics.desired))) return
    load(session.account.number).then(
      (desired) => session.live.send(session.topics.desired, JSON.stringify(desired)),
      (error: Error) => {
        log.warn({ reason: error.message, device: session.account.id }, 'the desired state could not be sent')
        // A device that reconnects gets the desired state then; one that stays connected would never get it.
        session.live.end('storage_unavailable', 'The desired state could not be read. Connect again.')
      },
    )
  }
}
