import type { FastifyRequest } from 'fastify'
import { type Kysely, sql } from 'kysely'
import { visibleTo } from '../../access/decisions/visible-to.ts'
import { findCallerReach, requireWithinToken } from '../../access/require.ts'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import { pageRequest, platformPage } from '../../http/page.ts'
import { getClient } from '../../providers/clients/store.ts'
import { parseEndpointId } from '../endpoints.ts'
import { bindingShape, localEndpointId } from './schema.ts'
import { selectBindings } from './store.ts'

interface Input {
  caller: Caller
  params: { providerId: string; clientId: string }
  query: { limit: number; cursor?: string }
  request: FastifyRequest
}

/** Answers a page of the bindings that name a client, in the order of their local endpoints. */
export async function listClientBindings(ctx: Context, { caller, params, query, request }: Input) {
  const { tenantId } = caller
  const { limit, after } = pageRequest(query, (key) => parseEndpointId(key) !== undefined)
  await requireWithinToken(caller, 'asset')
  const { id } = await getClient(ctx.db, { tenantId, ...params })
  const reach = await findCallerReach(ctx, caller, 'asset')
  const visible = visibleTo(reach, { id: 'a.id', organization: 'a.organization_id' })
  const rows = await selectBindings(
    ctx.db,
    sql`${visible} and ${followsAfter(after)} and (b.asset_number, b.component_id, b.kind, b.name) in (
        select r.asset_number, r.component_id, r.kind, r.name from asset_binding_remotes r
        where r.tenant_id = ${tenantId} and r.instance_type = 'client' and r.instance_id = ${id})
      order by a.id, b.component_id, b.kind, b.name limit ${limit + 1}`,
  )
  const names = await listAssetNames(ctx.db, tenantId, [...new Set(rows.map(({ assetId }) => assetId))])
  return platformPage({
    rows,
    limit,
    key: localEndpointId,
    shape: (row) => ({
      assetId: row.assetId,
      assetName: names.get(row.assetId) ?? row.assetId,
      ...bindingShape(row),
    }),
    request,
  })
}

function followsAfter(cursor: string | undefined) {
  const last = cursor === undefined ? undefined : parseEndpointId(cursor)
  if (!last) return sql`true`
  return sql`(a.id, b.component_id, b.kind, b.name) >
    (${last.instanceId}, ${last.componentId}, ${last.kind}, ${last.name})`
}

async function listAssetNames(db: Kysely<Tables>, tenantId: string, ids: string[]) {
  const { rows } = await sql<{ id: string; name: string }>`
    select id, display_name as name from assets
    where tenant_id = ${tenantId} and id = any(${ids}::text[])`.execute(db)
  return new Map(rows.map(({ id, name }) => [id, name]))
}
