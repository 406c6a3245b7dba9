/** A device receives its queued commands when it subscribes to its methods, or reconnects with a stored subscription. */
import type { CommandQueue } from '../assets/commands/queue.ts'
import type { Connection } from './connection.ts'

/** @param filters commands are sent if one of them may match a method */
export function sendQueuedCommands(
  commandQueue: CommandQueue,
  { session }: Connection,
  filters: Iterable<string>,
) {
  if (!session) return
  const { account, topics } = session
  const mayTakeMethods = (filter: string) => /^\/(methods|\+|#)/.test(filter.slice(topics.root.length))
  if ([...filters].some(mayTakeMethods)) void commandQueue.dispatchIfQueued(account)
}
