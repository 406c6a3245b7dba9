import type { Kysely } from 'kysely'
import type { Context } from '../context.ts'
import type { Tables } from '../database/tables.ts'
import type { DeviceMessage } from './message.ts'
import type { Outcome } from './unanswered.ts'

/** Devices seldom give up a connection sooner. A load that keeps messages waiting must not make their commits dearer at once. */
const DEVICE_STAYS_MS = 5000

/** Messages that are stored together. */
export interface MessageBatch {
  messages: DeviceMessage[]
  /** Settles when the batches before this one have ended. */
  earlier: Promise<unknown>
  /** Messages whose devices have opened their sessions again meanwhile are refused: see `mayHaveMoved`. */
  locksSenders?: boolean
  /** Ends a turn of long work, so that other work runs; see `takeTurns`. */
  nextTurn?: (() => Promise<void>) | undefined
  /**
   * Records in the transaction of the messages that they are stored: the last statement of it.
   * @throws when this node may not store them; then none of them is stored
   */
  advance?: ((tx: Kysely<Tables>) => Promise<void>) | undefined
  /** What earlier tries may have changed, whose answers were lost; `storeTelemetry` and `storeReported` add to it. */
  unanswered?: Outcome[]
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
 * Whether the devices of the messages may have sent them again to other nodes by now: this node stood still, or could not
 * store them for a while, as where it is cut off from the database.
 */
export function mayHaveMoved({ nodes }: Pick<StoreContext, 'nodes'>, messages: DeviceMessage[]): boolean {
  if (!nodes.peers.exist) return false
  return nodes.pauses.isRecent() || Date.now() - messages[0]!.receivedAtMs > DEVICE_STAYS_MS
}

/** Nothing was committed. */
export class MayHaveMovedError extends Error {
  override name = 'MayHaveMovedError'
}

/**
 * Called right before the commit. The devices of the messages may have moved since the batch began. What comes from the stream
 * is safe from that by its position.
 * @throws MayHaveMovedError then; the batch is stored again with locks on their sessions
 */
export function requireSendersStayed(
  ctx: Pick<StoreContext, 'nodes'>,
  { messages, advance, locksSenders }: MessageBatch,
): void {
  if (!advance && !locksSenders && mayHaveMoved(ctx, messages)) throw new MayHaveMovedError()
}
