/** Finds the assets under which values of a provider client are stored: an asset that binds a signal owns its values. */
import { type RawBuilder, sql } from 'kysely'
import { findCallerReach } from '../../access/require.ts'
import { visibleTo } from '../../access/decisions/visible-to.ts'
import { hidden } from '../../database/execute-prepared.ts'
import { formatEndpointId } from '../../assets/endpoints.ts'
import type { Caller } from '../../http/access.ts'
import { listOwnerTypes, type TimeseriesContext, type ViewedOwner } from './owner.ts'
import type { KeptUnder } from '../schema.ts'
import type { SeriesType } from '../storage/series-key.ts'

const MAX_KEPT_UNDER = 10_000

/** A signal that a request names. */
export interface NamedSignal {
  assetId: string
  /** null for every component */
  componentId: string | null
  name: string
  /** null for both types */
  type: SeriesType | null
}

const kinds = { telemetry: 'telemetry', propertyReported: 'property' } as const

interface Row {
  remote_id: string
  remote_component_id: string
  remote_name: string
  kind: 'telemetry' | 'property'
  asset_id: string
  component_id: string
  name: string
}

/** Selects a row if an asset binds a signal of a provider client with one of the ids. */
export const selectBinding = ({ tenantId }: Caller, ids: string[]): RawBuilder<object> => sql<object>`
    select from asset_binding_remotes where tenant_id = ${tenantId} and instance_type = 'client'
      and instance_id = any(${hidden(ids, 'text')}) and kind <> 'command' limit 1`

/**
 * @param owners the owners of the requested ids; only provider clients are considered
 * @returns the field to add to an answer, with the bindings that the caller may view; no field if there are none
 */
export async function listKeptUnder(
  ctx: TimeseriesContext,
  caller: Caller,
  { wanted, owners }: { wanted: NamedSignal[]; owners: ViewedOwner[] },
): Promise<{ keptUnder?: KeptUnder }> {
  const clientIds = new Set(
    owners.filter(({ ownerType }) => ownerType === 'client').map((one) => one.ownerId),
  )
  const asked = wanted.filter(({ assetId }) => clientIds.has(assetId))
  if (asked.length === 0 || !(await listOwnerTypes(caller)).includes('asset')) return {}
  const visible = visibleTo(await findCallerReach(ctx, caller, 'asset'), {
    id: 'a.id',
    organization: 'a.organization_id',
  })
  const { rows } = await sql<Row>`
    select distinct r.instance_id as remote_id, r.remote_component_id, r.remote_endpoint_name as remote_name, r.kind,
      a.id as asset_id, r.component_id, r.name
    from unnest(${asked.map((one) => one.assetId)}::text[], ${asked.map((one) => one.componentId)}::text[],
      ${asked.map((one) => one.name)}::text[], ${asked.map(({ type }) => type && kinds[type])}::text[])
      as w (client_id, component_id, name, kind)
    join asset_binding_remotes r on r.tenant_id = ${caller.tenantId} and r.instance_type = 'client'
      and r.instance_id = w.client_id and r.remote_endpoint_name = w.name
      and r.remote_component_id = coalesce(w.component_id, r.remote_component_id)
      and r.kind = coalesce(w.kind, r.kind) and r.kind <> 'command'
    join assets a on a.number = r.asset_number
    where ${visible}
    order by remote_id, remote_component_id, remote_name, asset_id, component_id, name
    limit ${MAX_KEPT_UNDER}`.execute(ctx.db)
  return rows.length === 0 ? {} : { keptUnder: rows.map(seriesShape) }
}

const seriesShape = (row: Row) => ({
  remoteEndpointId: formatEndpointId({
    instanceId: row.remote_id,
    componentId: row.remote_component_id,
    kind: row.kind,
    name: row.remote_name,
  }),
  assetId: row.asset_id,
  componentId: row.component_id || null,
  timeseriesName: row.name,
  timeseriesType: row.kind === 'telemetry' ? ('telemetry' as const) : ('propertyReported' as const),
})
