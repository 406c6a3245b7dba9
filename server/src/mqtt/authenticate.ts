import type { DeviceClient } from './connection.ts'
import type { GatewayParts } from './gateway-parts.ts'
import { admit } from './sessions.ts'
import { RefusedError, SERVER_UNAVAILABLE, signIn, type SignedIn } from './sign-in.ts'

/**
 * Signs a connection in and starts its session.
 * @throws RefusedError
 */
export async function authenticate(
  parts: GatewayParts,
  client: DeviceClient,
  username: string | undefined,
  password: Buffer | undefined,
): Promise<void> {
  parts.signingIn.set(client.connection, username)
  try {
    const signedIn = await signInFresh(parts, client, username, password)
    parts.signingIn.delete(client.connection)
    // The device may have disconnected meanwhile. Its session must not begin, because nothing would end it.
    if (client.connection.socket.destroyed)
      throw new RefusedError(SERVER_UNAVAILABLE, 'server_unavailable', 'The connection broke.')
    parts.store.adopt(signedIn.account)
    admit(parts.sessions, client, signedIn)
  } catch (error) {
    const refusal = error instanceof RefusedError ? error : unexpected(parts, error)
    parts.ctx.metrics.mqttRefusals.inc({ reason: `connack_${refusal.returnCode}` })
    parts.ctx.warnOfDevice('a device was refused', {
      device: username,
      remoteAddress: client.connection.remoteAddress,
      reason: refusal.reason,
      message: refusal.message,
    })
    throw refusal
  }
}

/** Signs in again if the client changed while its key was checked, because the account that was read may be outdated. */
async function signInFresh(
  parts: GatewayParts,
  { connection }: DeviceClient,
  username: string | undefined,
  password: Buffer | undefined,
): Promise<SignedIn> {
  for (;;) {
    connection.isStale = false
    const signedIn = await signIn(parts, connection.request, username, password)
    if (!connection.isStale) return signedIn
  }
}

function unexpected({ ctx }: GatewayParts, error: unknown): RefusedError {
  ctx.log.error({ err: error }, 'a device could not sign in')
  return new RefusedError(SERVER_UNAVAILABLE, 'server_unavailable', 'Something went wrong here.')
}
