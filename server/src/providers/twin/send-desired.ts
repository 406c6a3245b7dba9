import type { Context } from '../../context.ts'
import { getDesired } from './store.ts'

/**
 * Sends the full desired state to the client's sessions that have subscribed to it. [docs/twins#desired-properties]
 * Read when it is sent: of two changes at one time each sends the later state, or an older one that `$version` betrays.
 */
export async function sendDesired(ctx: Context, clientId: string, clientNumber: number): Promise<void> {
  const payload = JSON.stringify(await getDesired(ctx.db, clientNumber))
  for (const session of ctx.liveSessions.of(clientId))
    session.send(`devices/${clientId}/twin/desired`, payload)
}
