import type { Context } from '../../context.ts'
import { getDesired } from './store.ts'

/**
 * Sends the full desired state to the client's sessions that have subscribed to it. [docs/twins#desired-properties]
 * The state is read when it is sent. After concurrent changes a device may receive an older state last, which it
 * recognizes by `$version`.
 */
export async function sendDesired(ctx: Context, clientId: string, clientNumber: number): Promise<void> {
  const payload = JSON.stringify(await getDesired(ctx.db, clientNumber))
  for (const session of ctx.liveSessions.list(clientId))
    session.send(`devices/${clientId}/twin/desired`, payload)
}
