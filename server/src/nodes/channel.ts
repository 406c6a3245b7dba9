/**
 * Messages of one kind between nodes. Who publishes and who subscribes may be different rooms, so a channel is a
 * definition that both import:
 *
 *     export const commandQueued = channel<WaitingClient>('gangway_command_queued')
 *     commandQueued.subscribe(ctx, { onMessage: dispatch, onReconnect: dispatchAll })
 *     await commandQueued.publish(ctx, tx, { number, id })
 */
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { Transport } from './transport.ts'

export interface Channel<T> {
  /** @param db a transaction, whose commit the messages wait for, or the database */
  publish(ctx: Node, db: Kysely<Tables>, ...messages: T[]): Promise<void>
  /** Before this node joins. One subscription a node: a second one replaces it. */
  subscribe(ctx: Node, handlers: ChannelHandlers<T>): void
}

export interface ChannelHandlers<T> {
  /** Also receives what this node published. */
  onMessage(message: T, sender: Sender): Promise<void> | void
  /** The first connection, or a new one: messages may have been lost before. */
  onReconnect?(): Promise<void> | void
}

export interface Sender {
  nodeId: string | undefined
  isOwn: boolean
}

export interface ChannelOptions<T> {
  /** Divides a message that is too large, or answers a shorter one that says enough. */
  split?(message: T): T[]
  /** Reads messages that the database publishes by itself. */
  read?(payload: string): T
}

interface Node {
  nodes: { id: string; transport: Transport }
}

/** PostgreSQL accepts less than 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7000

export function channel<T extends object>(
  name: string,
  { split = (message) => [message], read = JSON.parse }: ChannelOptions<T> = {},
): Channel<T> {
  const serialize = (message: T, nodeId: string): string[] => {
    const payload = JSON.stringify({ ...message, nodeId })
    if (Buffer.byteLength(payload) <= MAX_PAYLOAD_BYTES) return [payload]
    const parts = split(message)
    return parts.length > 1
      ? parts.flatMap((part) => serialize(part, nodeId))
      : parts.map((part) => JSON.stringify({ ...part, nodeId }))
  }
  return {
    publish: async ({ nodes }, db, ...messages) => {
      const payloads = messages.flatMap((message) => serialize(message, nodes.id))
      if (payloads.length > 0) await nodes.transport.publish(db, name, payloads)
    },
    subscribe: ({ nodes }, { onMessage, onReconnect = () => {} }) =>
      nodes.transport.subscribe(name, {
        onMessage: (payload) => {
          const { nodeId, ...message } = read(payload) as T & { nodeId?: string }
          return onMessage(message as unknown as T, { nodeId, isOwn: nodeId === nodes.id })
        },
        onReconnect,
      }),
  }
}

/** Divides a message into two, each with half of its lists. */
export const halve =
  <T extends object, K extends keyof T>(...lists: K[]) =>
  (message: T): T[] => {
    const listOf = (name: K) => (message[name] ?? []) as unknown[]
    if (lists.every((name) => listOf(name).length < 2)) return [message]
    const part = (start: 0 | 1) =>
      Object.fromEntries(
        lists.map((name) => {
          const list = listOf(name)
          const middle = list.length >> 1
          return [name, start === 0 ? list.slice(0, middle) : list.slice(middle)]
        }),
      )
    return [
      { ...message, ...part(0) },
      { ...message, ...part(1) },
    ]
  }
