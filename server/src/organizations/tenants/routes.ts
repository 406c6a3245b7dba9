/** Tenants, for owners of the environment only. [docs/organizations#tenants] */
import Type from 'typebox'
import { ENVIRONMENT_ID } from '../../access/relations/store.ts'
import { audited } from '../../audit/audited.ts'
import type { Context } from '../../context.ts'
import { pageAfter } from '../../database/page.ts'
import { permission } from '../../http/access.ts'
import { orNotFound } from '../../http/errors.ts'
import { isSuppliedId, pageRequest, platformPage, PlatformPageQuery } from '../../http/page.ts'
import { answer, route, type Route } from '../../http/route.ts'
import { changeTenant } from './change-tenant.ts'
import { createTenant } from './create-tenant.ts'
import { deleteTenant } from './delete-tenant.ts'
import { type MeasureExpiring, previewChange } from './preview-change.ts'
import { ChangeTenant, ChangedTenantRecord, CreateTenant, TenantRecord, tenantShape } from './schema.ts'

const resourceType = 'tenant'

const ofEnvironment = () => permission('manage', 'environment', () => ENVIRONMENT_ID)
const TenantPath = Type.Object({ tenantId: Type.String({ maxLength: 128 }) })

export const tenantRoutes = (ctx: Context, measureExpiring: MeasureExpiring): Route[] => [
  route({
    method: 'POST',
    url: '/v1/tenants',
    summary: 'Create a tenant with its root organization, administrator and provider `mqtt`',
    access: ofEnvironment(),
    body: CreateTenant,
    response: { 201: TenantRecord },
    handler: ({ body, caller }) =>
      audited(ctx.db, { actor: caller, action: 'create', resourceType }, async (tx) => {
        const { row } = await createTenant(tx, { plan: 'standard', ...body })
        return { after: tenantShape(row) }
      }),
  }),
  route({
    method: 'GET',
    url: '/v1/tenants',
    summary: 'List tenants',
    access: ofEnvironment(),
    query: PlatformPageQuery,
    response: { 200: Type.Array(TenantRecord) },
    handler: async ({ query, request }) => {
      const page = pageRequest(query, isSuppliedId)
      const rows = await pageAfter(ctx.db.selectFrom('tenants').selectAll(), 'id', page)
      return platformPage({ rows, limit: page.limit, shape: tenantShape, request })
    },
  }),
  route({
    method: 'GET',
    url: '/v1/tenants/{tenantId}',
    summary: 'Get a tenant',
    access: ofEnvironment(),
    params: TenantPath,
    response: { 200: TenantRecord },
    handler: async ({ params }) => {
      const row = orNotFound(
        await ctx.db.selectFrom('tenants').selectAll().where('id', '=', params.tenantId).executeTakeFirst(),
        'tenant',
        params.tenantId,
      )
      return tenantShape(row)
    },
  }),
  route({
    method: 'PATCH',
    url: '/v1/tenants/{tenantId}',
    summary: "Change a tenant's name, plan, privileges or telemetry retention",
    access: ofEnvironment(),
    params: TenantPath,
    body: ChangeTenant,
    query: Type.Object({
      dryRun: Type.Boolean({
        default: false,
        description: 'Changes nothing and answers what the retention of the body would delete',
      }),
    }),
    response: { 200: ChangedTenantRecord },
    handler: ({ params, body, caller, query }) => {
      if (query.dryRun)
        return previewChange(ctx, caller, { id: params.tenantId, body, measure: measureExpiring })
      return audited(ctx.db, { actor: caller, action: 'update', resourceType }, async (tx) => {
        const { before, after } = await changeTenant(tx, params.tenantId, body)
        return { resourceId: params.tenantId, before: tenantShape(before), after: tenantShape(after) }
      })
    },
  }),
  route({
    method: 'DELETE',
    url: '/v1/tenants/{tenantId}',
    summary:
      'Delete a tenant: an empty one at once, one with content by a job whose progress its record shows',
    access: ofEnvironment(),
    params: TenantPath,
    query: Type.Object({
      force: Type.Boolean({ default: false, description: 'Also with all of its content' }),
    }),
    response: { 204: null, 202: TenantRecord },
    handler: async ({ params: { tenantId: id }, query, caller }) => {
      const left = await deleteTenant(ctx, caller, id, query.force)
      return left ? answer(202, tenantShape(left), { location: `/v1/tenants/${id}` }) : answer(204, undefined)
    },
  }),
]
