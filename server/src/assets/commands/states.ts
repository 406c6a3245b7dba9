/** The states of a command. [docs/assets#command-states] */
import type { CommandStatus } from '../../database/tables/commands.ts'
import type { Transition } from '../../lib/state-table.ts'

export const transitions = [
  { from: 'queued', event: 'sent', to: 'running' },
  /** The command was claimed, but the device was offline. Nothing was sent and time remains. */
  { from: 'running', event: 'unsent', to: 'queued' },
  { from: 'queued', event: 'cancelled', to: 'cancelled' },
  { from: 'queued', event: 'expired', to: 'expired' },
  /** The command may not wait. */
  { from: 'queued', event: 'offline', to: 'failed' },
  { from: 'running', event: 'done', to: 'succeeded' },
  /** The device or its provider refused the command, or the response does not fit the model. */
  { from: 'running', event: 'refused', to: 'failed' },
  { from: 'running', event: 'unanswered', to: 'timed_out' },
] as const satisfies Transition<CommandStatus>[]

export type CommandEvent = (typeof transitions)[number]['event']

/** Every event has exactly one row. */
export const findTransition = (event: CommandEvent) => transitions.find((row) => row.event === event)!
