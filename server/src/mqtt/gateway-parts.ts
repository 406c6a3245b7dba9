import type { CommandQueue } from '../assets/commands/queue.ts'
import type { Context } from '../context.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { BoundedCache } from '../lib/bounded-cache.ts'
import type { LoadAccount } from './authentication/accounts.ts'
import type { LoadCertificate } from './authentication/certificates.ts'
import type { FindKeySlot } from './authentication/device-keys.ts'
import type { RecordFirstConnection } from './authentication/first-connections.ts'
import type { Backlog } from './connection/backlog.ts'
import type { ServerLimits } from './connection/limits.ts'
import type { PacketParser } from './connection/parse-packet.ts'
import type { Ledger } from './limits/ledger.ts'
import type { RateBucket } from './limits/rate-bucket.ts'
import type { Presence } from './sessions/presence.ts'
import type { Sessions } from './sessions/sessions.ts'
import type { StoredSessions } from './sessions/stored/stored-sessions.ts'
import type { Takeovers } from './sessions/takeovers.ts'
import type { Addresses, Connection, Ending, PendingWill, Session } from './state.ts'

/** The other rooms that the gateway uses besides the context. */
export interface GatewayNeeds {
  ingest: Ingest
  commandQueue: CommandQueue
}

/** The state that the functions of this room share. */
export interface GatewayParts extends GatewayNeeds {
  ctx: Context
  parser: PacketParser
  presence: Presence
  ledger: Ledger
  limits: ServerLimits
  backlog: Backlog
  sessions: Sessions
  storedSessions: StoredSessions
  takeovers: Takeovers
  /** By session key. A will leaves it once it has its place in the order of messages, or is discarded. */
  pendingWills: Map<string, PendingWill>
  /** Those of them that wait for their time, by client number: the oldest of a device first. */
  delayedWills: Map<number, Map<string, PendingWill>>
  /** Wills that are not stored yet. */
  publishingWills: Set<Promise<void>>
  loadAccount: LoadAccount
  findKeySlot: FindKeySlot
  loadCertificate: LoadCertificate
  recordFirstConnection: RecordFirstConnection
  connections: Set<Connection>
  addresses: Addresses
  /** The buckets of devices that left a short time ago. */
  leftBuckets: BoundedCache<number, RateBucket>
  /** The connections that have not signed in yet. */
  signingIn: Set<Connection>
  /** The bytes of incomplete packets, and of packets that wait for a sign-in or for the backlog. */
  partialBytes: number
  /** The payload bytes that wait in the outboxes of all sessions. */
  outboxBytes: number
  /** Ends the session of a connection; what follows from that may end other connections. */
  leaveSession(session: Session, ending: Ending): void
  /** Sends the desired state if one of the filters matches its topic. */
  sendDesired(session: Session, filters: Iterable<string>): void
  /** Whether the gateway is stopping and accepts no connections any more. */
  isStopping: boolean
}
