import type { Context } from '../context.ts'
import type { DeviceMessage } from './message.ts'

/** Messages that are stored together. */
export interface MessageBatch {
  messages: DeviceMessage[]
  /** Settles when the batches before this one have ended. */
  earlier: Promise<unknown>
  /** Ends a turn of long work, so that other work runs; see `takeTurns`. */
  nextTurn?: (() => Promise<void>) | undefined
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
