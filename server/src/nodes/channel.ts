/**
 * Messages of one kind between nodes. Publishers and subscribers may be in different rooms, so a channel is a
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
  /** @param db the database, or a transaction: then the messages are sent at its commit */
  publish(ctx: Node, db: Kysely<Tables>, ...messages: T[]): Promise<void>
  /** Must be called before this node joins. A second subscription replaces the first. */
  subscribe(ctx: Node, handlers: ChannelHandlers<T>): void
}

export interface ChannelHandlers<T> {
  /** Also called for messages that this node published. */
  onMessage(message: T, sender: Sender): Promise<void> | void
  /** Called at the first connection, and whenever messages may have been lost. */
  onReconnect?(): Promise<void> | void
}

export interface Sender {
  nodeId: string | undefined
  isOwn: boolean
}

export interface ChannelOptions<T> {
  /** Divides a message that is too large, or returns a shorter message that suffices. */
  split?(message: T): T[]
  /** Reads messages that the database publishes by itself. */
  read?(payload: string): T
  /**
   * The database carries the messages, also where NATS carries those of other channels: all nodes receive them in one
   * order, and triggers can publish them.
   */
  isByDatabase?: boolean
  /**
   * The id of the client on the broker that a message is for: only nodes with a session of it need the message. Undefined
   * for messages to all nodes.
   */
  findOwner?(message: T): string | undefined
}

interface Node {
  nodes: { id: string; transport: Transport }
}

/** PostgreSQL accepts less than 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7000

export function channel<T extends object>(
  name: string,
  {
    split = (message) => [message],
    read = JSON.parse,
    isByDatabase = false,
    findOwner = () => undefined,
  }: ChannelOptions<T> = {},
): Channel<T> {
  const address = { name, isByDatabase }
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
      const outgoing = messages.flatMap((message) =>
        serialize(message, nodes.id).map((payload) => ({ payload, owner: findOwner(message) })),
      )
      if (outgoing.length > 0) await nodes.transport.publish(db, address, outgoing)
    },
    subscribe: ({ nodes }, { onMessage, onReconnect = () => {} }) =>
      nodes.transport.subscribe(address, {
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
    const getList = (name: K) => (message[name] ?? []) as unknown[]
    if (lists.every((name) => getList(name).length < 2)) return [message]
    const part = (start: 0 | 1) =>
      Object.fromEntries(
        lists.map((name) => {
          const list = getList(name)
          const middle = list.length >> 1
          return [name, start === 0 ? list.slice(0, middle) : list.slice(middle)]
        }),
      )
    return [
      { ...message, ...part(0) },
      { ...message, ...part(1) },
    ]
  }
