/** Routes for organizations, tenants and organization templates. */
import Type from 'typebox'
import { findCallerReach } from '../access/require.ts'
import { visibleTo } from '../access/decisions/visible-to.ts'
import type { Context } from '../context.ts'
import { both, contains } from '../database/search.ts'
import { permission, privilege, visible } from '../http/access.ts'
import { countFitting, isUuid, pageRequest, platformPage, PlatformSearchQuery } from '../http/page.ts'
import { route, type Route } from '../http/route.ts'
import { Uuid } from '../http/shapes.ts'
import { changeOrganization, removeOrganization } from './change-organization.ts'
import { createOrganization } from './create-organization.ts'
import { toOrganizationRecord, toOrganizationRecords } from './relations.ts'
import { ChangeOrganization, CreateOrganization, OrganizationRecord } from './schema.ts'
import { getOrganization, listOrganizations } from './store.ts'
import { organizationTemplateRoutes } from './templates/routes.ts'
import type { MeasureExpiring } from './tenants/preview-change.ts'
import { tenantRoutes } from './tenants/routes.ts'

const OrganizationPath = Type.Object({ organizationId: Uuid })
const organizationId = (p: Record<string, string>) => p.organizationId!

export const organizationRoutes = (ctx: Context, measureExpiring: MeasureExpiring): Route[] => [
  ...tenantRoutes(ctx, measureExpiring),
  ...recordRoutes(ctx),
  ...organizationTemplateRoutes(ctx),
]

const recordRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/organizations',
    summary: 'Create an organization, below another or at the root of the tenant',
    access: privilege('organization_management'),
    body: CreateOrganization,
    response: { 201: OrganizationRecord },
    handler: ({ body, caller }) => createOrganization(ctx, caller, body),
  }),
  route({
    method: 'GET',
    url: '/v1/organizations',
    summary: 'List organizations',
    access: visible('organization'),
    query: PlatformSearchQuery,
    response: { 200: Type.Array(OrganizationRecord) },
    handler: async ({ caller, query, request }) => {
      const page = pageRequest(query, isUuid)
      const visibility = visibleTo(await findCallerReach(ctx, caller, 'organization'), {
        id: 'organizations.id',
      })
      const found = both(visibility, contains(query.search, ['organizations.display_name']))
      const rows = await listOrganizations(ctx.db, caller.tenantId, found, page)
      const records = await toOrganizationRecords(ctx.db, caller, rows)
      const sizes = records.map(({ relations }) => ({ bytes: JSON.stringify(relations).length }))
      const fitting = countFitting(sizes, page.limit)
      return platformPage({ rows: records, limit: fitting, shape: (record) => record, request })
    },
  }),
  route({
    method: 'GET',
    url: '/v1/organizations/{organizationId}',
    summary: 'Get an organization',
    access: permission('view', 'organization', organizationId),
    params: OrganizationPath,
    response: { 200: OrganizationRecord },
    handler: async ({ params, caller }) =>
      toOrganizationRecord(
        ctx.db,
        caller,
        await getOrganization(ctx.db, caller.tenantId, params.organizationId),
      ),
  }),
  route({
    method: 'PATCH',
    url: '/v1/organizations/{organizationId}',
    summary: "Change an organization's name, description, contacts or privileges",
    access: permission('manage', 'organization', organizationId),
    params: OrganizationPath,
    body: ChangeOrganization,
    response: { 200: OrganizationRecord },
    handler: ({ params, body, caller }) => changeOrganization(ctx, caller, params.organizationId, body),
  }),
  route({
    method: 'DELETE',
    url: '/v1/organizations/{organizationId}',
    summary: 'Delete an organization that has no objects',
    access: permission('delete', 'organization', organizationId),
    params: OrganizationPath,
    response: { 204: null },
    handler: ({ params, caller }) => removeOrganization(ctx, caller, params.organizationId),
  }),
]
