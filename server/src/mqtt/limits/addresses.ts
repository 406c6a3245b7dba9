/** Counts the connections of each network address, so that one address cannot use up those of all. [docs/mqtt#limits] */
import { clientNetwork } from '../../lib/client-network.ts'
import type { ServerLimits } from '../connection/limits.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import type { AddressCounts, Addresses, Connection } from '../state.ts'

/** Connections over the limit of their address that may send CONNECT nevertheless, to be refused with the reason. */
const MAX_REFUSED_BY_CONNACK = 100

export const createAddresses = (): Addresses => ({ byNetwork: new Map(), waitingForRefusal: 0 })

export function findCounts({ byNetwork }: Addresses, remoteAddress: string): AddressCounts {
  const network = clientNetwork(remoteAddress)
  return byNetwork.get(network) ?? { network, connections: 0, signingIn: 0 }
}

/** @returns whether the connection may send CONNECT; otherwise the refusal was logged */
export function enterAddress(parts: GatewayParts, connection: Connection): boolean {
  const { addresses, signingIn, ctx, limits } = parts
  const { address } = connection
  const full =
    signingIn.size >= limits.signIns
      ? 'sign_ins'
      : address.signingIn >= limits.signInsOfAddress
        ? 'sign_ins_of_address'
        : undefined
  const isOver = address.connections >= ctx.config.mqttConnectionsPerAddress
  if (full || (isOver && addresses.waitingForRefusal >= MAX_REFUSED_BY_CONNACK)) {
    refuse(parts, connection, full ?? 'connections_per_address')
    return false
  }
  connection.isOverAddressLimit = isOver
  if (isOver) addresses.waitingForRefusal++
  addresses.byNetwork.set(address.network, address)
  address.connections++
  address.signingIn++
  signingIn.add(connection)
  return true
}

/** The connection has signed in, or has ended. */
export function endSignIn({ addresses, signingIn }: GatewayParts, connection: Connection): void {
  if (!signingIn.delete(connection)) return
  connection.address.signingIn--
  if (connection.isOverAddressLimit) addresses.waitingForRefusal--
}

/** Must be called once for each connection that entered. */
export function leaveAddress(parts: GatewayParts, connection: Connection): void {
  endSignIn(parts, connection)
  const { address } = connection
  if (--address.connections === 0) parts.addresses.byNetwork.delete(address.network)
}

const describeRefusal = ({ signIns, signInsOfAddress }: ServerLimits) => ({
  sign_ins: `${signIns} connections to this server have not signed in, which is its limit.`,
  sign_ins_of_address: `${signInsOfAddress} connections of the address have not signed in, which is its limit.`,
  connections_per_address:
    'The address has as many connections as GANGWAY_MQTT_CONNECTIONS_PER_ADDRESS allows.',
})

function refuse(
  { ctx, limits }: GatewayParts,
  { remoteAddress }: Connection,
  limit: keyof ReturnType<typeof describeRefusal>,
): void {
  ctx.metrics.mqttRefusals.inc({ reason: limit })
  ctx.warnOfDevice('a connection was refused', {
    device: undefined,
    remoteAddress,
    reason: limit,
    message: describeRefusal(limits)[limit],
  })
}
