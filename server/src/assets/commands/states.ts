/** The states of a command. [docs/assets#command-states] */
import type { CommandStatus } from '../../database/tables/commands.ts'
import type { Transition } from '../../lib/state-table.ts'

export const transitions = [
  { from: 'queued', event: 'sent', to: 'running' },
  /** Claimed, and then there was nobody to send it to: nothing was done, and it has time left. */
  { from: 'running', event: 'unsent', to: 'queued' },
  { from: 'queued', event: 'cancelled', to: 'cancelled' },
  { from: 'queued', event: 'expired', to: 'expired' },
  /** It was not to wait. */
  { from: 'queued', event: 'offline', to: 'failed' },
  { from: 'running', event: 'done', to: 'succeeded' },
  /** By the device, on the way to it, or for an answer that is not what the model says. */
  { from: 'running', event: 'refused', to: 'failed' },
  { from: 'running', event: 'unanswered', to: 'timed_out' },
] as const satisfies Transition<CommandStatus>[]

export type CommandEvent = (typeof transitions)[number]['event']

/** Each event has one row. */
export const findTransition = (event: CommandEvent) => transitions.find((row) => row.event === event)!
