import type { Context } from '../context.ts'
import type { Connection } from './connection.ts'
import type { PublishParts } from './publish.ts'
import type { Sessions } from './sessions.ts'
import type { SignInParts } from './sign-in.ts'

/** What the functions of this room share. */
export interface GatewayParts extends PublishParts, SignInParts {
  ctx: Context
  sessions: Sessions
  connections: Set<Connection>
  /** Those that have not signed in, with the user name that they gave. */
  signingIn: Map<Connection, string | undefined>
  /** Sends the desired state if one of the filters takes it. */
  sendDesired(connection: Connection, filters: Iterable<string>): void
  /** Nothing is read any more. */
  isStopping: boolean
}
