/** The dry run of a change: the tenant as it would be, and what its retention would delete. [docs/telemetry#retention] */
import type { Kysely } from 'kysely'
import type { Static } from 'typebox'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import { changeTenant } from './change-tenant.ts'
import { type ChangeTenant, tenantShape, type WouldDelete } from './schema.ts'

type ExpiringTelemetry = Static<typeof WouldDelete>

/** Measures the samples that a retention of this many days would delete. */
export type MeasureExpiring = (
  db: Kysely<Tables>,
  tenantNumber: number,
  options: { days: number | null; rollupDays: number | null; nowMs: number },
) => Promise<ExpiringTelemetry>

/** @throws as the change itself */
export async function previewChange(
  ctx: Pick<Context, 'db' | 'queries'>,
  caller: Caller,
  { id, body, measure }: { id: string; body: Static<typeof ChangeTenant>; measure: MeasureExpiring },
) {
  const tenant = await changeAndUndo(ctx, id, body)
  const { number, telemetry_retention_days: days, rollup_retention_days: rollupDays } = tenant
  using query = ctx.queries.open(caller.tenantId)
  const wouldDelete = await measure(query.db, number, { days, rollupDays, nowMs: Date.now() })
  return { ...tenantShape(tenant), wouldDelete }
}

async function changeAndUndo({ db }: Pick<Context, 'db'>, id: string, body: Static<typeof ChangeTenant>) {
  const tx = await db.startTransaction().execute()
  try {
    return (await changeTenant(tx, id, body)).after
  } finally {
    await tx.rollback().execute()
  }
}
