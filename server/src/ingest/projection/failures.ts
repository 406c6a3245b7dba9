/**
 * Failures of values that could not be stored under their asset: the binding shows the reason to its owner until a
 * value succeeds.
 */
import { type Kysely, sql } from 'kysely'
import { type LocalEndpoint, localEndpointKey } from '../../assets/endpoints.ts'
import type { Tables } from '../../database/tables.ts'
import { channel, halve } from '../../nodes/channel.ts'
import type { Runtime } from '../../runtime.ts'
import type { Failure } from './project.ts'
import type { Step } from './step.ts'

export interface Failures {
  /**
   * When the failure of each binding was last written: a device that sends invalid values ten times a second must not
   * cause a write each time.
   */
  reportedAtMs: WeakMap<Step, number>
  /**
   * Bindings with an error in the database, as far as this node knows: endpoints by asset number. They are loaded with
   * the plans, and other nodes send a notice when a binding begins to fail.
   */
  failing: Map<number, Set<string>>
}

type FailuresContext = Pick<Runtime, 'nodes'> & { plans: { failures: Failures } }

export const createFailures = (): Failures => ({ reportedAtMs: new WeakMap(), failing: new Map() })

/** Notices about assets with a binding that begins to fail. */
const failingAssets = channel<{ numbers: number[] }>('gangway_bindings_failed', { split: halve('numbers') })

const PAUSE_MS = 10_000
const MAX_LENGTH = 500

/** @returns one failure for each binding whose failure was not written recently */
export function takeDueFailures(
  { reportedAtMs }: Failures,
  failures: Failure[],
  nowMs = Date.now(),
): Failure[] {
  const bySteps = new Map<Step, Failure>()
  for (const failure of failures)
    if ((reportedAtMs.get(failure.step) ?? 0) + PAUSE_MS <= nowMs) bySteps.set(failure.step, failure)
  for (const step of bySteps.keys()) reportedAtMs.set(step, nowMs)
  return [...bySteps.values()]
}

/** Runs in a transaction; with its commit, other nodes receive a notice about bindings that begin to fail. */
export async function updateBindingErrors(
  { nodes, plans }: FailuresContext,
  tx: Kysely<Tables>,
  failures: Failure[],
): Promise<void> {
  if (failures.length === 0) return
  const reasons = failures.map(({ reason }) => reason.slice(0, MAX_LENGTH))
  const { rows } = await sql<{ number: number; begins: boolean }>`
    update asset_bindings b set error = f.error, error_at = now()
    from ${bindingKeys(failures, reasons)} f join asset_bindings old using (asset_number, component_id, kind, name)
    where (b.asset_number, b.component_id, b.kind, b.name) = (f.asset_number, f.component_id, f.kind, f.name)
    returning b.asset_number as number, old.error is null as begins`.execute(tx)
  for (const { step } of failures) addFailing(plans.failures, step.assetNumber, localEndpointKey(step))
  const beginning = new Set(rows.filter(({ begins }) => begins).map(({ number }) => number))
  if (beginning.size > 0) await failingAssets.publish({ nodes }, tx, { numbers: [...beginning] })
}

/**
 * Clears the errors of bindings that applied their values, once these are stored. Queries the database only for
 * bindings that are known to have an error.
 */
export async function clearBindingErrors(
  db: Kysely<Tables>,
  known: Failures,
  { succeeded, failed }: { succeeded: Iterable<Step>; failed: Failure[] },
): Promise<void> {
  if (known.failing.size === 0) return
  const failedNow = new Set(failed.map(({ step }) => step))
  const recovered = [...new Set(succeeded)]
    .filter(
      (step) => known.failing.get(step.assetNumber)?.has(localEndpointKey(step)) && !failedNow.has(step),
    )
    .map((step) => ({ step }))
  if (recovered.length === 0) return
  await sql`
    update asset_bindings set error = null, error_at = null
    where error is not null and (asset_number, component_id, kind, name) in (
      select asset_number, component_id, kind, name from ${bindingKeys(recovered)} f)`.execute(db)
  for (const { step } of recovered) deleteFailing(known, step.assetNumber, localEndpointKey(step))
}

/** @param reasons one for each step */
const bindingKeys = (failed: { step: Step }[], reasons: string[] = []) => sql`(
  select * from unnest(${failed.map(({ step }) => step.assetNumber)}::int[],
    ${failed.map(({ step }) => step.componentId)}::text[], ${failed.map(({ step }) => step.kind)}::text[],
    ${failed.map(({ step }) => step.name)}::text[], ${reasons}::text[])
    as keys (asset_number, component_id, kind, name, error))`

/** @param endpoint `component/kind/name` */
export function addFailing({ failing }: Failures, assetNumber: number, endpoint: string): void {
  const endpoints = failing.get(assetNumber)
  if (endpoints) endpoints.add(endpoint)
  else failing.set(assetNumber, new Set([endpoint]))
}

function deleteFailing({ failing }: Failures, assetNumber: number, endpoint: string): void {
  const endpoints = failing.get(assetNumber)
  if (endpoints?.delete(endpoint) && endpoints.size === 0) failing.delete(assetNumber)
}

/**
 * Applies notices of other nodes, since devices may connect to this node next. After a reconnect all plans are read
 * again.
 */
export const subscribeToFailures = (ctx: FailuresContext & Pick<Runtime, 'db'>): void =>
  failingAssets.subscribe(ctx, {
    onMessage: async ({ numbers }) => {
      const { rows } = await sql<LocalEndpoint & { number: number }>`
        select asset_number as number, component_id as "componentId", kind, name from asset_bindings
        where asset_number = any(${numbers}::int[]) and error is not null`.execute(ctx.db)
      for (const row of rows) addFailing(ctx.plans.failures, row.number, localEndpointKey(row))
    },
  })
