/** Organization templates hold initial values of new organizations. [docs/organizations#organization-templates] */
import Type from 'typebox'
import { audited } from '../../audit/audited.ts'
import type { Context } from '../../context.ts'
import { privilege, privilegeInRoot } from '../../http/access.ts'
import { isUuid, pageRequest, platformPage, PlatformPageQuery } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { Uuid } from '../../http/shapes.ts'
import { mergeContacts, noContacts, requireContacts } from '../contacts.ts'
import {
  ChangeOrganizationTemplate,
  CreateOrganizationTemplate,
  OrganizationTemplateRecord,
  templateShape,
} from './schema.ts'
import {
  deleteTemplate,
  getTemplate,
  getTemplateForUpdate,
  insertTemplate,
  listTemplates,
  updateTemplate,
} from './store.ts'

const TemplatePath = Type.Object({ templateId: Uuid })
const read = privilege('organization_management')
const manage = privilegeInRoot('organization_management')
const resourceType = 'organization_template'

export const organizationTemplateRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/organization-templates',
    summary: 'Create an organization template',
    access: manage,
    body: CreateOrganizationTemplate,
    response: { 201: OrganizationTemplateRecord },
    handler: ({ body, caller }) =>
      audited(ctx.db, { actor: caller, action: 'create', resourceType }, async (tx) => {
        const contacts = mergeContacts(noContacts, body.contacts)
        const fields = { description: null, privileges: null, ...body, contacts }
        await requireContacts(tx, caller.tenantId, fields.contacts)
        return { after: templateShape(await insertTemplate(tx, caller.tenantId, fields)) }
      }),
  }),
  route({
    method: 'GET',
    url: '/v1/organization-templates',
    summary: 'List organization templates',
    access: read,
    query: PlatformPageQuery,
    response: { 200: Type.Array(OrganizationTemplateRecord) },
    handler: async ({ caller, query, request }) => {
      const page = pageRequest(query, isUuid)
      const rows = await listTemplates(ctx.db, caller.tenantId, page)
      return platformPage({ rows, limit: page.limit, shape: templateShape, request })
    },
  }),
  route({
    method: 'GET',
    url: '/v1/organization-templates/{templateId}',
    summary: 'Get an organization template',
    access: read,
    params: TemplatePath,
    response: { 200: OrganizationTemplateRecord },
    handler: async ({ params, caller }) =>
      templateShape(await getTemplate(ctx.db, caller.tenantId, params.templateId)),
  }),
  route({
    method: 'PATCH',
    url: '/v1/organization-templates/{templateId}',
    summary: 'Change an organization template; organizations created from it do not change',
    access: manage,
    params: TemplatePath,
    body: ChangeOrganizationTemplate,
    response: { 200: OrganizationTemplateRecord },
    handler: ({ params, body, caller }) =>
      audited(ctx.db, { actor: caller, action: 'update', resourceType }, async (tx) => {
        const { tenantId } = caller
        const before = templateShape(await getTemplateForUpdate(tx, tenantId, params.templateId))
        const fields = { ...before, ...body, contacts: mergeContacts(before.contacts, body.contacts) }
        await requireContacts(tx, tenantId, fields.contacts)
        const after = templateShape(await updateTemplate(tx, tenantId, before.id, fields))
        return { before, after }
      }),
  }),
  route({
    method: 'DELETE',
    url: '/v1/organization-templates/{templateId}',
    summary: 'Delete an organization template',
    access: manage,
    params: TemplatePath,
    response: { 204: null },
    handler: ({ params, caller }) =>
      audited(ctx.db, { actor: caller, action: 'delete', resourceType }, async (tx) => ({
        before: templateShape(await deleteTemplate(tx, caller.tenantId, params.templateId)),
      })),
  }),
]
