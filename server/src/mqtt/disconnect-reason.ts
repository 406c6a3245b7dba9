/** Why a connection ended, where nobody here ended it: read from what the broker and the socket say. */
import type { Connection, Ending } from './connection.ts'

/** The broker's own words, or the socket's, and what they mean to the device's operator. */
const meanings: [RegExp, Ending][] = [
  [/^drain timeout$/, { reason: 'too_slow', message: 'The device did not take what was sent to it.' }],
  [
    /^keep alive timeout$/,
    { reason: 'keep_alive_timeout', message: 'Nothing came from the device for 1.5 keep-alive times.' },
  ],
  [
    /E(CONNRESET|PIPE|TIMEDOUT|HOSTUNREACH)|connection closed|Premature close|socket hang up/i,
    { reason: 'connection_lost', message: 'The connection broke.' },
  ],
]

/** @param error what the broker's client failed with */
export function endingOf(connection: Connection, error: Error & { code?: string }): Ending {
  // Whatever fails after the device's goodbye, such as an acknowledgement, is not why it went.
  if (connection.gate.sawDisconnect) return endingOfClosed(connection)
  const ending = meanings.find(
    ([words]) => words.test(error.code ?? error.message) || words.test(error.message),
  )?.[1]
  // While messages wait for the database nothing is read, pings neither: then the silence is ours.
  if (ending?.reason === 'keep_alive_timeout' && connection.waitingMessages > 0)
    return { reason: 'storage_unavailable', message: 'Messages waited too long to be stored.' }
  return ending ?? { reason: 'protocol_error', message: `The device broke the protocol: ${error.message}.` }
}

/** For a socket that closed without anybody giving a reason. */
export const endingOfClosed = ({ gate }: Connection): Ending =>
  gate.sawDisconnect
    ? { reason: 'client_disconnected', message: 'The device disconnected.' }
    : { reason: 'connection_lost', message: 'The connection broke.' }

const devicesDoing = new Set(['client_disconnected', 'connection_lost', 'server_stopped'])
/** Whether the connection was cut for a reason. */
export const isOurDoing = ({ reason }: Ending): boolean => !devicesDoing.has(reason)
