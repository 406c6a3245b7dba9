import Type from 'typebox'
import { listVisible } from '../../access/list-visible.ts'
import { requirePrivilegeIn } from '../../access/require.ts'
import { audited } from '../../audit/audited.ts'
import type { Context } from '../../context.ts'
import { permission, privilege, visible } from '../../http/access.ts'
import { isSuppliedId, PlatformSearchQuery } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { CreateTemplate, PutTemplate, TemplatePath, TemplateRecord, templateShape } from './schema.ts'
import {
  deleteTemplate,
  getTemplate,
  getTemplateForUpdate,
  insertTemplate,
  listTemplates,
  type Tag,
  updateTemplate,
} from './store.ts'

const resourceType = 'provider_template'

const TemplatesQuery = Type.Object({
  ...PlatformSearchQuery.properties,
  tagFilter: Type.Optional(Type.String({ pattern: '^[^=]+=', maxLength: 512, description: '`key=value`' })),
})

const templateId = (p: Record<string, string>) => p.templateId!

export const providerTemplateRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/provider-templates',
    summary: 'Create a provider template',
    // Templates have no privilege of their own; they determine how a provider creates its clients.
    access: privilege('provider_management'),
    body: CreateTemplate,
    response: { 201: TemplateRecord },
    handler: async ({ body, caller }) => {
      ctx.parsers.of(body.options?.parser, 'options.parser')
      await requirePrivilegeIn(ctx, caller, 'provider_management', body.organizationId)
      return audited(ctx.db, { actor: caller, action: 'create', resourceType }, async (tx) => ({
        after: templateShape(await insertTemplate(tx, caller.tenantId, body)),
      }))
    },
  }),
  route({
    method: 'GET',
    url: '/v1/provider-templates',
    summary: 'List provider templates',
    access: visible('provider_template'),
    query: TemplatesQuery,
    response: { 200: Type.Array(TemplateRecord) },
    handler: (input) =>
      listVisible(ctx, input, {
        type: 'provider_template',
        columns: { id: 'provider_templates.id', organization: 'provider_templates.organization_id' },
        searched: ['provider_templates.id', 'provider_templates.display_name'],
        isId: isSuppliedId,
        list: (db, tenantId, seen, page) =>
          listTemplates(db, tenantId, { visible: seen, tag: parseTag(input.query.tagFilter), page }),
        shape: templateShape,
      }),
  }),
  route({
    method: 'GET',
    url: '/v1/provider-templates/{templateId}',
    summary: 'Get a provider template',
    access: permission('view', 'provider_template', templateId),
    params: TemplatePath,
    response: { 200: TemplateRecord },
    handler: async ({ params, caller }) =>
      templateShape(await getTemplate(ctx.db, caller.tenantId, params.templateId)),
  }),
  route({
    method: 'PUT',
    url: '/v1/provider-templates/{templateId}',
    summary: 'Update a provider template; clients provisioned with it do not change',
    access: permission('manage', 'provider_template', templateId),
    params: TemplatePath,
    body: PutTemplate,
    response: { 200: TemplateRecord },
    handler: ({ params, body, caller }) =>
      audited(ctx.db, { actor: caller, action: 'update', resourceType }, async (tx) => {
        ctx.parsers.of(body.options?.parser, 'options.parser')
        const { tenantId } = caller
        const before = templateShape(await getTemplateForUpdate(tx, tenantId, params.templateId))
        const after = templateShape(await updateTemplate(tx, tenantId, params.templateId, body))
        return { before, after }
      }),
  }),
  route({
    method: 'DELETE',
    url: '/v1/provider-templates/{templateId}',
    summary: 'Delete a provider template; clients provisioned with it do not change',
    access: permission('delete', 'provider_template', templateId),
    params: TemplatePath,
    response: { 204: null },
    handler: ({ params, caller }) =>
      audited(ctx.db, { actor: caller, action: 'delete', resourceType }, async (tx) => ({
        before: templateShape(await deleteTemplate(tx, caller.tenantId, params.templateId)),
      })),
  }),
]

function parseTag(tagFilter: string | undefined): Tag | undefined {
  if (tagFilter === undefined) return undefined
  const separator = tagFilter.indexOf('=')
  return { name: tagFilter.slice(0, separator), value: tagFilter.slice(separator + 1) }
}
