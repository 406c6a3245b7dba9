/** A device receives its queued commands when it subscribes to its methods, or reconnects with a stored subscription. */
import type { CommandQueue } from '../../assets/commands/queue.ts'
import type { Session } from '../state.ts'

/** @param filters commands are sent if one of them may match a method */
export function sendQueuedCommands(
  commandQueue: CommandQueue,
  { account, topics }: Session,
  filters: Iterable<string>,
): void {
  const mayTakeMethods = (filter: string) => /^\/(methods|\+|#)/.test(filter.slice(topics.root.length))
  if ([...filters].some(mayTakeMethods)) void commandQueue.dispatchIfQueued(account)
}
