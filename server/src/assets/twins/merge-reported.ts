/**
 * Merges values that an asset's devices report into one state: free-form, with an object for each component.
 * [docs/assets#properties]
 */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { LocalEndpoint } from '../endpoints.ts'
import { isProperties, mergePatch, type Properties } from '../../providers/twin/merge-patch.ts'

export interface ReportedChange {
  assetNumber: number
  values: ReportedValue[]
  at: Date
}

export interface ReportedValue extends Pick<LocalEndpoint, 'componentId' | 'name'> {
  /** The whole value; null removes the property. */
  value: unknown
}

/** Sets properties under their names; those of a component go into the object of that component. */
export function withValues(reported: Properties, values: ReportedValue[]): Properties {
  const all = new Map(Object.entries(reported))
  const components = new Map<string, Map<string, unknown>>()
  for (const { componentId, name, value } of values) {
    if (!componentId) {
      components.delete(name)
      setEntry(all, name, value)
      continue
    }
    const component = components.get(componentId) ?? readComponent(all.get(componentId))
    if (value === null && !component) continue
    components.set(componentId, setEntry(component ?? new Map(), name, value))
  }
  for (const [id, entries] of components) all.set(id, Object.fromEntries(entries))
  return Object.fromEntries(all)
}

const readComponent = (value: unknown): Map<string, unknown> | undefined =>
  isProperties(value) ? new Map(Object.entries(value)) : undefined

function setEntry(entries: Map<string, unknown>, name: string, value: unknown): Map<string, unknown> {
  if (value === null) entries.delete(name)
  // The value replaces the old one, so that a device can remove fields of an object. A null field is dropped.
  else entries.set(name, isProperties(value) ? mergePatch({}, value) : value)
  return entries
}

/** Must run in a transaction. Each change of an asset increments its version, in order. */
export async function mergeReported(tx: Kysely<Tables>, changes: ReportedChange[]): Promise<void> {
  if (changes.length === 0) return
  const numbers = [...new Set(changes.map(({ assetNumber }) => assetNumber))]
  const twins = await listForUpdate(tx, numbers)
  for (const { assetNumber, values, at } of changes) {
    const twin = twins.get(assetNumber)
    if (!twin) continue
    const { reported, version } = twin
    twins.set(assetNumber, { reported: withValues(reported, values), version: version + 1, at })
  }
  const entries = [...twins]
  await sql`
    update asset_twins t set reported = n.reported, reported_version = n.version, reported_at = n.at
    from unnest(${entries.map(([number]) => number)}::int[],
      ${entries.map(([, twin]) => JSON.stringify(twin.reported))}::jsonb[],
      ${entries.map(([, twin]) => twin.version)}::bigint[],
      ${entries.map(([, twin]) => twin.at)}::timestamptz[]) as n (number, reported, version, at)
    where t.asset_number = n.number`.execute(tx)
}

interface Twin {
  reported: Properties
  version: number
  at: Date
}

/** Locks the twins in one order, to avoid a deadlock. A deleted asset has no twin. */
async function listForUpdate(tx: Kysely<Tables>, numbers: number[]): Promise<Map<number, Twin>> {
  await sql`
    insert into asset_twins (asset_number)
    select number from assets where number = any(${numbers}::int[]) order by number
    on conflict do nothing`.execute(tx)
  const { rows } = await sql<{ number: number; reported: Properties; version: string }>`
    select asset_number as number, reported, reported_version as version from asset_twins
    where asset_number = any(${numbers}::int[]) order by asset_number for update`.execute(tx)
  return new Map(
    rows.map(({ number, reported, version }) => [
      number,
      { reported, version: Number(version), at: new Date() },
    ]),
  )
}
