import type { Kysely } from 'kysely'
import type { Context } from '../context.ts'
import type { Tables } from '../database/tables.ts'
import type { DeviceMessage } from './message.ts'

/** Messages that are stored together. */
export interface MessageBatch {
  messages: DeviceMessage[]
  /** Settles when the batches before this one have ended. */
  earlier: Promise<unknown>
  /**
   * This node stood still a short time ago: messages whose devices have opened their sessions again meanwhile are refused.
   */
  locksSenders?: boolean
  /** Ends a turn of long work, so that other work runs; see `takeTurns`. */
  nextTurn?: (() => Promise<void>) | undefined
  /**
   * Records in the transaction of the messages that they are stored: the last statement of it.
   * @throws when this node may not store them; then none of them is stored
   */
  advance?: ((tx: Kysely<Tables>) => Promise<void>) | undefined
}

/** The parts of the context that storing a batch needs. */
export type StoreContext = Pick<
  Context,
  | 'db'
  | 'pool'
  | 'log'
  | 'metrics'
  | 'nodes'
  | 'warnOfDevice'
  | 'plans'
  | 'series'
  | 'rowTables'
  | 'config'
  | 'alarms'
  | 'push'
  | 'activity'
>

/**
 * Called right before the commit. The devices of the messages may be at other nodes if this one stood still since the
 * batch began. What comes from the stream is safe from that by its position.
 * @throws then; the batch is tried again with locks on their sessions
 */
export function requireNoPause(
  { nodes }: Pick<StoreContext, 'nodes'>,
  { advance, locksSenders }: MessageBatch,
): void {
  if (!advance && !locksSenders && nodes.pauses.isRecent())
    throw new Error('This node stood still during the commit.')
}
