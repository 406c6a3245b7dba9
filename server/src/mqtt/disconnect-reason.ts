/** Derives the reason why a connection ended from errors of the broker and the socket, if the platform did not end it. */
import type { Connection, Ending } from './connection.ts'

/** Error messages of the broker or the socket, with their meaning for the device's operator. */
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

/** @param error the error of the broker's client */
export function endingOf(connection: Connection, error: Error & { code?: string }): Ending {
  // A failure after the device's DISCONNECT, such as that of an acknowledgement, is not the reason why it left.
  if (connection.gate.sawDisconnect) return endingOfClosed(connection)
  const ending = meanings.find(
    ([words]) => words.test(error.code ?? error.message) || words.test(error.message),
  )?.[1]
  // While messages wait for the database nothing is read, not even pings: then the device is not to blame for the time-out.
  if (ending?.reason === 'keep_alive_timeout' && connection.waitingMessages > 0)
    return { reason: 'storage_unavailable', message: 'Messages waited too long to be stored.' }
  return ending ?? { reason: 'protocol_error', message: `The device broke the protocol: ${error.message}.` }
}

/** Applies to a socket that closed without a given reason. */
export const endingOfClosed = ({ gate }: Connection): Ending =>
  gate.sawDisconnect
    ? { reason: 'client_disconnected', message: 'The device disconnected.' }
    : { reason: 'connection_lost', message: 'The connection broke.' }

const devicesDoing = new Set(['client_disconnected', 'connection_lost', 'server_stopped'])
/** Whether the platform cut the connection, for another reason than its own stop. */
export const isOurDoing = ({ reason }: Ending): boolean => !devicesDoing.has(reason)
