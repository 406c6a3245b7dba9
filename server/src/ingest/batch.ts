import type { Kysely } from 'kysely'
import type { Context } from '../context.ts'
import type { Tables } from '../database/tables.ts'
import type { DeviceMessage } from './message.ts'

/** Messages that are stored together. */
export interface MessageBatch {
  messages: DeviceMessage[]
  /** Settles when the batches before this one have ended. */
  earlier: Promise<unknown>
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
