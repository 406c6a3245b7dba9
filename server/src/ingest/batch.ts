import type { Context } from '../context.ts'
import type { DeviceMessage } from './message.ts'

/** Messages that go into the database together. */
export interface MessageBatch {
  messages: DeviceMessage[]
  /** Settles when the batches before this one have ended. */
  earlier: Promise<unknown>
}

/** What storing a batch needs. */
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
  | 'partitions'
  | 'alarms'
  | 'push'
>
