/** A device gets the commands that wait for it when it subscribes to its methods, or comes back to a stored subscription. */
import type { CommandQueue } from '../assets/commands/queue.ts'
import type { Connection } from './connection.ts'

/** @param filters those of them that may take a method */
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
