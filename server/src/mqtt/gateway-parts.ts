import type { CommandQueue } from '../assets/commands/queue.ts'
import type { Context } from '../context.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { Connection } from './connection.ts'
import type { PublishParts } from './publish.ts'
import type { Sessions } from './sessions.ts'
import type { SignInParts } from './sign-in.ts'

/** The other rooms that the gateway uses besides the context. */
export interface GatewayNeeds {
  ingest: Ingest
  commandQueue: CommandQueue
}

/** The state that the functions of this room share. */
export interface GatewayParts extends PublishParts, SignInParts, GatewayNeeds {
  ctx: Context
  sessions: Sessions
  connections: Set<Connection>
  /** The connections that have not signed in yet, with the user name that they gave. */
  signingIn: Map<Connection, string | undefined>
  /** Sends the desired state if one of the filters matches its topic. */
  sendDesired(connection: Connection, filters: Iterable<string>): void
  /** Whether the gateway is stopping and reads nothing any more. */
  isStopping: boolean
}
