/** The alarms of this node: the state that the functions of this room share. */
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Tables } from '../database/tables.ts'
import type { Nodes } from '../nodes/nodes.ts'
import type { Push } from '../push/state.ts'
import type { AlarmChange } from './statuses/alarm-change.ts'
import type { AssetSettling } from './statuses/settle.ts'
import type { AssetKey } from './watch/asset-key.ts'
import type { Unevaluated } from './watch/shares.ts'
import type { AlarmMemory } from './watch/memory.ts'

export interface Alarms {
  db: Kysely<Tables>
  log: Logger
  nodes: Nodes
  push: Pick<Push, 'publishAlarms'>
  memory: AlarmMemory
  /** Number of batches of samples that were evaluated so far. */
  batches: number
  /** Unfinished work that follows from earlier batches and changes. */
  followUps: Set<Promise<void>>
  /** Reevaluates the asset together with other waiting assets. Never rejects. */
  reevaluateInTurn(asset: AssetKey): Promise<void>
  warnOfUnevaluated(unevaluated: Unevaluated[]): void
  /**
   * For rooms that delete assets or move them to other models: clears the open statuses of the assets. Call
   * `afterCommit` after the commit.
   */
  settleAssets(tx: Kysely<Tables>, tenantId: string, settling: AssetSettling): Promise<AlarmChange[]>
  afterCommit(changes: AlarmChange[]): void
}
