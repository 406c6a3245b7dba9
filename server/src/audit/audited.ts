import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { type Actor, recordAudit } from './record.ts'

interface Identified {
  id: string
}

/**
 * The result of a change: the object before and after it, each in its public shape. Their `id` names the object, unless
 * the change names another `resourceId`.
 */
type Change = { result?: unknown } & (
  | { resourceId?: undefined; before?: Identified; after: Identified }
  | { resourceId?: undefined; before: Identified; after?: undefined }
  | { resourceId: string; before?: object | null; after?: object | null }
)

type ResultOf<C> = C extends { result: infer Result }
  ? Result
  : C extends { after: infer After }
    ? After
    : void

/**
 * Runs a change in a transaction, and writes its audit entry in the same one.
 * @returns the change's `result`; without one, the object as it is afterwards
 */
export const audited = <C extends Change>(
  db: Kysely<Tables>,
  { actor, action, resourceType }: { actor: Actor; action: string; resourceType: string },
  change: (tx: Kysely<Tables>) => Promise<C>,
): Promise<ResultOf<C>> =>
  db.transaction().execute(async (tx) => {
    const done = await change(tx)
    const { before, after } = done
    const resourceId = done.resourceId ?? done.after?.id ?? done.before!.id
    await recordAudit(tx, actor, { action, resourceType, resourceId, before, after })
    return ('result' in done ? done.result : after) as ResultOf<C>
  })
