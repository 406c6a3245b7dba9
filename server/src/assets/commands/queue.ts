/**
 * Commands that wait for a device of the broker. The node that holds the device's session sends them when they are
 * created and when the device subscribes to its methods; other nodes notify it. The commands of one device are sent one
 * after another.
 */
import type { Kysely } from 'kysely'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import { coalesce } from '../../lib/coalesce.ts'
import { channel } from '../../nodes/channel.ts'
import { methodTopic } from '../../providers/kinds/mqtt/invoke-method.ts'
import { findLocatedClientByNumber } from '../bindings/located-client.ts'
import { runCommand } from './run-command.ts'
import { listQueued, listClientsWithQueued } from './store.ts'

export interface WaitingClient {
  number: number
  id: string
}

/** Published when a command waits for the client. */
const waitingClients = channel<WaitingClient>('gangway_command_queued', {
  findOwner: ({ id }) => id,
})

export interface CommandQueue {
  /** Sends all queued commands that the device has subscribed to, without waiting for responses. Never rejects. */
  dispatch(client: WaitingClient): Promise<void>
  /** Dispatches if commands wait. The checks of many devices that reconnect at the same time share a few queries. */
  dispatchIfQueued(client: WaitingClient): Promise<void>
}

/** The context of rooms that send commands. */
export type CommandContext = Context & { commandQueue: CommandQueue }

export function createCommandQueue(ctx: Context): CommandQueue {
  const last = new Map<number, Promise<void>>()
  const dispatch = (client: WaitingClient): Promise<void> => {
    const before = last.get(client.number) ?? Promise.resolve()
    const sent = before
      .then(() => sendQueued(ctx, client))
      .catch((error: unknown) => ctx.log.error({ err: error, client: client.id }, 'commands cannot be sent'))
      .finally(() => {
        if (last.get(client.number) === sent) last.delete(client.number)
      })
    last.set(client.number, sent)
    return sent
  }
  const hasQueued = coalesce(
    async (numbers: number[]) => {
      await ctx.nodes.transport.interests.settled()
      return haveQueued(ctx.db, numbers)
    },
    { maxBatch: 500, concurrency: 2 },
  )
  const queue: CommandQueue = {
    dispatch,
    dispatchIfQueued: (client) =>
      hasQueued(client.number).then(
        (waits) => (waits ? dispatch(client) : undefined),
        (error: unknown) => ctx.log.warn({ err: error, client: client.id }, 'queued commands cannot be read'),
      ),
  }
  waitingClients.subscribe(ctx, {
    onMessage: (client) => dispatchHere(ctx, queue, [client]),
    // Catches up on messages that were published while this node was disconnected.
    onReconnect: async () => dispatchHere(ctx, queue, await listClientsWithQueued(ctx.db)),
  })
  return queue
}

/** Notifies all nodes when the transaction commits. */
export const publishQueued = (
  ctx: Pick<Context, 'nodes'>,
  tx: Kysely<Tables>,
  { number, id }: WaitingClient,
): Promise<void> => waitingClients.publish(ctx, tx, { number, id })

async function dispatchHere(ctx: Context, queue: CommandQueue, clients: WaitingClient[]): Promise<void> {
  for (const client of clients) if (ctx.liveSessions.list(client.id).length > 0) void queue.dispatch(client)
}

async function haveQueued(db: Kysely<Tables>, numbers: number[]): Promise<boolean[]> {
  const waitedFor = new Set((await listClientsWithQueued(db, numbers)).map(({ number }) => number))
  return numbers.map((number) => waitedFor.has(number))
}

async function sendQueued(ctx: Context, { number, id }: WaitingClient): Promise<void> {
  const client = await findLocatedClientByNumber(ctx.db, number)
  if (!client) return
  for (const command of await listQueued(ctx.db, number)) {
    const topic = methodTopic(id, command.method!)
    if (ctx.liveSessions.list(id).some((session) => session.isSubscribedTo(topic)))
      await runCommand(ctx, command, client)
  }
}
