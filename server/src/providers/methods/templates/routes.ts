/** Method templates: stored invocations of direct methods. [docs/twins#method-templates] */
import Type from 'typebox'
import { listVisible } from '../../../access/list-visible.ts'
import { requirePrivilegeIn } from '../../../access/require.ts'
import { audited } from '../../../audit/audited.ts'
import type { Context } from '../../../context.ts'
import { permission, privilege, visible } from '../../../http/access.ts'
import { PlatformPageQuery } from '../../../http/page.ts'
import { route, type Route } from '../../../http/route.ts'
import { METHOD_BODY_LIMIT } from '../invocation.ts'
import {
  CreateMethodTemplate,
  MethodTemplatePath,
  MethodTemplateRecord,
  methodTemplateShape,
  PutMethodTemplate,
} from './schema.ts'
import {
  deleteMethodTemplate,
  getMethodTemplate,
  getMethodTemplateForUpdate,
  insertMethodTemplate,
  listMethodTemplates,
  updateMethodTemplate,
} from './store.ts'

const templateId = (p: Record<string, string>) => p.methodTemplateId!
const resourceType = 'method_template'

export const methodTemplateRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/method-templates',
    summary: 'Create a method template',
    access: privilege('provider_management'),
    body: CreateMethodTemplate,
    bodyLimit: METHOD_BODY_LIMIT,
    response: { 201: MethodTemplateRecord },
    handler: async ({ body, caller }) => {
      await requirePrivilegeIn(ctx, caller, 'provider_management', body.organizationId)
      return audited(ctx.db, { actor: caller, action: 'create', resourceType }, async (tx) => ({
        after: methodTemplateShape(await insertMethodTemplate(tx, caller.tenantId, body)),
      }))
    },
  }),
  route({
    method: 'GET',
    url: '/v1/method-templates',
    summary: 'List method templates',
    access: visible('provider_template'),
    query: PlatformPageQuery,
    response: { 200: Type.Array(MethodTemplateRecord) },
    handler: (input) =>
      listVisible(ctx, input, {
        type: 'provider_template',
        columns: { id: 'method_templates.id', organization: 'method_templates.organization_id' },
        list: listMethodTemplates,
        shape: methodTemplateShape,
      }),
  }),
  route({
    method: 'GET',
    url: '/v1/method-templates/{methodTemplateId}',
    summary: 'Get a method template',
    access: permission('view', 'provider_template', templateId),
    params: MethodTemplatePath,
    response: { 200: MethodTemplateRecord },
    handler: async ({ params, caller }) =>
      methodTemplateShape(await getMethodTemplate(ctx.db, caller.tenantId, params.methodTemplateId)),
  }),
  route({
    method: 'PUT',
    url: '/v1/method-templates/{methodTemplateId}',
    summary: 'Update a method template',
    access: permission('manage', 'provider_template', templateId),
    params: MethodTemplatePath,
    body: PutMethodTemplate,
    bodyLimit: METHOD_BODY_LIMIT,
    response: { 200: MethodTemplateRecord },
    handler: ({ params, body, caller }) =>
      audited(ctx.db, { actor: caller, action: 'update', resourceType }, async (tx) => {
        const { tenantId } = caller
        const id = params.methodTemplateId
        const before = methodTemplateShape(await getMethodTemplateForUpdate(tx, tenantId, id))
        const after = methodTemplateShape(await updateMethodTemplate(tx, tenantId, id, body))
        return { resourceId: id, before, after }
      }),
  }),
  route({
    method: 'DELETE',
    url: '/v1/method-templates/{methodTemplateId}',
    summary: 'Delete a method template',
    access: permission('delete', 'provider_template', templateId),
    params: MethodTemplatePath,
    response: { 204: null },
    handler: ({ params, caller }) =>
      audited(ctx.db, { actor: caller, action: 'delete', resourceType }, async (tx) => {
        const { tenantId } = caller
        const id = params.methodTemplateId
        const before = methodTemplateShape(await getMethodTemplateForUpdate(tx, tenantId, id))
        await deleteMethodTemplate(tx, tenantId, id)
        return { resourceId: id, before }
      }),
  }),
]
