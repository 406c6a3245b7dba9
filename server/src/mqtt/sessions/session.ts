/** The state of a session that has a connection. */
import type { Account } from '../authentication/accounts.ts'
import type { Connection } from '../connection/connection.ts'
import type { LiveSession } from '../../providers/live-sessions.ts'
import type { RateBucket } from '../limits/rate-bucket.ts'
import type { OwnTopics } from '../topics.ts'
import type { Outbox } from './outbox.ts'
import type { Subscription } from './publication.ts'
import type { SessionKey } from './stored/stored-sessions.ts'
import type { Will } from './wills.ts'

export interface Session {
  /** The client id that the device chose or was assigned; it is unique within the device. */
  clientId: string
  connection: Connection
  account: Account
  /** The hash of the key with which the device signed in. */
  keyHash: string | null
  topics: OwnTopics
  /** By filter. */
  subscriptions: Map<string, Subscription>
  outbox: Outbox
  /** Shared by the sessions of the device on this node; undefined if there is no limit. */
  rateBucket: RateBucket | undefined
  /** Packet identifiers of messages with QoS 2 that arrived and were not released. */
  received: Set<number>
  /** Set if the session is kept after its connection ends. */
  stored: SessionKey | undefined
  /** How long the session is kept. */
  expirySeconds: number
  will: Will | undefined
  live: LiveSession
}

/** No device can name the session of another: the device id is a part of the key. [docs/mqtt#sessions] */
export const sessionKey = (deviceId: string, clientId: string): string => `${deviceId}/${clientId}`
