/** What a node knows of the relay of samples between nodes: its connection to NATS, and what the others want. */
import type { Msg, NatsConnection } from '@nats-io/transport-node'
import type { Runtime } from '../../runtime.ts'
import type { Push } from '../state.ts'
import type { Buckets, Interest } from './interest.ts'

/** Each node announces what it wants at least this often. */
export const ANNOUNCE_EVERY_MS = 5000
/** Others answer a node that joins at once; where that is lost, their next announcement comes within this time. */
const LEARNING_MS = ANNOUNCE_EVERY_MS + 1000

export type RelayContext = Pick<Runtime, 'log' | 'nodes' | 'pool'> & { push: Push }

export interface Relay {
  ctx: RelayContext
  nats: NatsConnection
  /** The first tokens of all subjects, which are those of the installation. */
  prefix: string
  /** Nothing is published while the connection is lost, because the NATS client would keep all of it in memory. */
  isLost: boolean
  /** Other nodes, by node id. */
  nodes: Map<string, OtherNode>
  /** Others answer the first announcement of this node, so that it does not know them yet. */
  joinedAtMs: number
  /** What this node has announced that it wants, by tenant id. */
  interest: Map<string, Buckets>
  /** The number of announcements of this node. */
  announced: number
  /** Resolves once the others have confirmed the last announcement, and with it the ones before. */
  arrived: Promise<void>
  /** Those who wait until the others have confirmed an announcement, in the order of the numbers. */
  waiting: { number: number; resolve(): void }[]
}

export interface OtherNode {
  interest: Interest
  announcedAtMs: number
  /** The number of the last announcement of this node here that it has confirmed. */
  confirmed: number
}

export const announcementSubject = ({ prefix }: Relay) => `${prefix}.push.announcements`
export const arrivalSubject = ({ prefix }: Relay, nodeId: string) => `${prefix}.push.node.${nodeId}.arrivals`
export const samplesSubject = ({ prefix }: Relay, nodeId: string) => `${prefix}.push.node.${nodeId}.samples`

/** The subject of samples for all nodes. */
export const allSubject = ({ prefix }: Relay) => `${prefix}.push.samples`

export const isConnected = ({ nats, isLost }: Relay) => !isLost && !nats.isClosed()

/** Other programs may publish on this NATS, too. */
export function readMessage<T>({ log }: RelayContext, message: Msg): T | undefined {
  try {
    return message.json<T>()
  } catch {
    log.warn({ subject: message.subject }, 'a message of another node is not JSON')
    return undefined
  }
}

/** Whether this node has just joined, so that it may not know yet what the others want. */
export const isLearning = ({ joinedAtMs, ctx }: Relay) =>
  ctx.nodes.peers.exist && performance.now() - joinedAtMs < LEARNING_MS
