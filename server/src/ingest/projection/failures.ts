/** Values that could not be kept under their asset: the binding says why, where who made it looks. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { Failure } from './project.ts'
import type { Step } from './step.ts'

/** When each binding last said so: a device that sends nonsense ten times a second must not have it written each time. */
export type FailureTimes = WeakMap<Step, number>

const PAUSE_MS = 10_000
const MAX_LENGTH = 500

/** @returns one a binding, of those that have not said so lately */
export function failuresToTell(times: FailureTimes, failures: Failure[], nowMs = Date.now()): Failure[] {
  const bySteps = new Map<Step, Failure>()
  for (const failure of failures)
    if ((times.get(failure.step) ?? 0) + PAUSE_MS <= nowMs) bySteps.set(failure.step, failure)
  for (const step of bySteps.keys()) times.set(step, nowMs)
  return [...bySteps.values()]
}

export async function updateBindingErrors(db: Kysely<Tables>, failures: Failure[]): Promise<void> {
  if (failures.length === 0) return
  const column = <T>(of: (failure: Failure) => T) => failures.map(of)
  await sql`
    update asset_bindings b set error = f.error, error_at = now()
    from unnest(${column(({ step }) => step.assetNumber)}::int[], ${column(({ step }) => step.componentId)}::text[],
      ${column(({ step }) => step.kind)}::text[], ${column(({ step }) => step.name)}::text[],
      ${column(({ reason }) => reason.slice(0, MAX_LENGTH))}::text[])
      as f (asset_number, component_id, kind, name, error)
    where (b.asset_number, b.component_id, b.kind, b.name) = (f.asset_number, f.component_id, f.kind, f.name)`.execute(
    db,
  )
}
