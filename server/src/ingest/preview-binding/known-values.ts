/**
 * Finds the last values of remote endpoints. A value that is bound to an asset is not stored under its client, so the
 * search includes assets that bind it without a transform, and the memory of this node.
 */
import { type Kysely, sql } from 'kysely'
import { visibleTo } from '../../access/decisions/visible-to.ts'
import { findCallerReach } from '../../access/require.ts'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import { isProperties, ownValue, type Properties } from '../../providers/twin/merge-patch.ts'
import { listLastValues } from '../../timeseries/query/last-known.ts'
import type { SeriesKey } from '../../timeseries/storage/series-key.ts'
import { inputSeries } from '../projection/join.ts'
import type { Plans } from '../projection/plans.ts'
import type { Input } from '../projection/step.ts'

export interface KnownValue {
  value: unknown
  /** Null for a value from the request, and if no value is known. */
  timeMs: number | null
}

type TimedValue = KnownValue & { timeMs: number }

/** @returns the newest known value of each input; no entry if there is none */
export async function listKnownValues(
  ctx: Context,
  caller: Caller,
  inputs: Input[],
): Promise<Map<Input, TimedValue>> {
  const properties = inputs.filter(({ kind }) => kind === 'property')
  const telemetry = inputs.filter(({ kind }) => kind === 'telemetry')
  return new Map([
    ...(await listProperties(ctx.db, caller.tenantId, properties)),
    ...(await listTelemetry(ctx, caller, telemetry)),
  ])
}

/** The twin contains all reported properties of an instance. */
async function listProperties(db: Kysely<Tables>, tenantId: string, inputs: Input[]) {
  const found = new Map<Input, TimedValue>()
  for (const input of inputs) {
    const twin = await findTwin(db, tenantId, input)
    if (!twin?.at) continue
    const place = input.componentId ? ownValue(twin.reported, input.componentId) : twin.reported
    const value = isProperties(place) ? ownValue(place, input.endpoint) : undefined
    if (value !== undefined) found.set(input, { value, timeMs: twin.at.getTime() })
  }
  return found
}

async function findTwin(db: Kysely<Tables>, tenantId: string, { ownerType, ownerId }: Input) {
  const isOf = sql`where owner.tenant_id = ${tenantId} and owner.id = ${ownerId}`
  const { rows } = await sql<{ reported: Properties; at: Date | null }>`
    select t.reported, t.reported_at as at from ${
      ownerType === 'client'
        ? sql`client_twins t join provider_clients owner on owner.number = t.client_number ${isOf}`
        : sql`asset_twins t join assets owner on owner.number = t.asset_number ${isOf}`
    }`.execute(db)
  return rows[0]
}

async function listTelemetry(ctx: Context, caller: Caller, inputs: Input[]) {
  const found = new Map<Input, TimedValue>()
  if (inputs.length === 0) return found
  const { tenantNumber } = caller
  const takers = await listTakers(ctx, caller, inputs)
  const series = inputs.map((input, index): SeriesKey[] => {
    const taken = takers
      .filter(({ place }) => place === index)
      .map(({ assetId, componentId, name }): SeriesKey => {
        return { tenantNumber, ownerType: 'asset', ownerId: assetId, componentId, type: 'telemetry', name }
      })
    return [inputSeries(tenantNumber, input), ...taken]
  })
  using open = ctx.queries.open(caller.tenantId)
  const nowhen = Date.UTC(9999, 11, 31)
  const readLast = await listLastValues(
    open.db,
    series.flat().map((key) => ({ key, timeMs: nowhen })),
  )
  for (const [index, input] of inputs.entries()) {
    const stored = series[index]!.map((key) => readLast(key, nowhen))
    const newest = [...stored, findInMemory(ctx.plans, caller.tenantId, input)]
      .filter((one) => one !== undefined)
      .toSorted((a, b) => b.timeMs - a.timeMs)[0]
    if (newest) found.set(input, newest)
  }
  return found
}

interface Taker {
  /** Index of the input. */
  place: number
  assetId: string
  componentId: string
  name: string
}

/** Lists the endpoints of assets that the caller may view and that take the value of a client unchanged. */
async function listTakers(ctx: Context, caller: Caller, inputs: Input[]): Promise<Taker[]> {
  const reach = await findCallerReach(ctx, caller, 'asset')
  const visible = visibleTo(reach, { id: 'a.id', organization: 'a.organization_id' })
  const { rows } = await sql<Taker>`
    select distinct on (w.place) w.place::int - 1 as place, a.id as "assetId", r.component_id as "componentId", r.name
    from unnest(${inputs.map(({ ownerId }) => ownerId)}::text[],
      ${inputs.map(({ componentId }) => componentId)}::text[], ${inputs.map(({ endpoint }) => endpoint)}::text[],
      ${inputs.map(({ ownerType }) => ownerType)}::text[])
      with ordinality as w (owner_id, component_id, name, owner_type, place)
    join asset_binding_remotes r on r.tenant_id = ${caller.tenantId} and r.instance_type = w.owner_type
      and w.owner_type = 'client' and r.instance_id = w.owner_id and r.remote_component_id = w.component_id
      and r.remote_endpoint_name = w.name and r.kind = 'telemetry'
    join asset_bindings b on (b.asset_number, b.component_id, b.kind, b.name)
      = (r.asset_number, r.component_id, r.kind, r.name) and b.transform is null
    join assets a on a.number = r.asset_number
    where ${visible} and not exists (
      select from asset_binding_remotes other
      where (other.asset_number, other.component_id, other.kind, other.name)
        = (r.asset_number, r.component_id, r.kind, r.name) and other.place <> r.place)
    order by w.place, a.id`.execute(ctx.db)
  return rows
}

/** A value that only transforms use is in memory if this node has received it since it loaded the bindings. */
function findInMemory(plans: Plans, tenantId: string, input: Input): TimedValue | undefined {
  const plan = plans.tenants.get(tenantId)?.byClient.get(input.ownerId)
  const use =
    input.ownerType === 'client' ? plan?.telemetry.get(input.componentId || input.endpoint) : undefined
  const readers = input.componentId ? use?.fields.get(input.endpoint) : use?.readers
  const steps = (readers ?? []).map(({ step }) => step).filter(({ lastInput }) => lastInput !== undefined)
  const newest = steps.toSorted((a, b) => b.lastInputMs - a.lastInputMs)[0]
  return newest && { value: newest.lastInput, timeMs: newest.lastInputMs }
}
