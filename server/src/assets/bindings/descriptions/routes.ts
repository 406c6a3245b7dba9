/**
 * Binding descriptions define bindings of a model's endpoints once, for many assets. [docs/assets#binding-descriptions]
 */
import Type from 'typebox'
import { audited } from '../../../audit/audited.ts'
import { listVisible } from '../../../access/list-visible.ts'
import type { Context } from '../../../context.ts'
import { permission, privilege, visible } from '../../../http/access.ts'
import { isSuppliedId, PlatformPageQuery } from '../../../http/page.ts'
import { route, type Route } from '../../../http/route.ts'
import { createDescription, putDescription } from './change-description.ts'
import {
  CreateDescription,
  DescriptionPath,
  DescriptionRecord,
  descriptionShape,
  PutDescription,
} from './schema.ts'
import { deleteDescription, getDescription, getDescriptionForUpdate, listDescriptions } from './store.ts'

const resourceType = 'binding_description'

const descriptionId = (p: Record<string, string>) => p.bindingDescriptionId!

export const bindingDescriptionRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/binding-descriptions',
    summary: 'Create a binding description',
    access: privilege('asset_management'),
    body: CreateDescription,
    response: { 201: DescriptionRecord },
    handler: ({ body, caller }) => createDescription(ctx, caller, body),
  }),
  route({
    method: 'GET',
    url: '/v1/binding-descriptions',
    summary: 'List binding descriptions',
    access: visible('binding_description'),
    query: PlatformPageQuery,
    response: { 200: Type.Array(DescriptionRecord) },
    handler: (input) =>
      listVisible(ctx, input, {
        type: 'binding_description',
        columns: { id: 'binding_descriptions.id', organization: 'binding_descriptions.organization_id' },
        isId: isSuppliedId,
        list: listDescriptions,
        shape: descriptionShape,
      }),
  }),
  route({
    method: 'GET',
    url: '/v1/binding-descriptions/{bindingDescriptionId}',
    summary: 'Get a binding description',
    access: permission('view', 'binding_description', descriptionId),
    params: DescriptionPath,
    response: { 200: DescriptionRecord },
    handler: async ({ params, caller }) =>
      descriptionShape(await getDescription(ctx.db, caller.tenantId, params.bindingDescriptionId)),
  }),
  route({
    method: 'PUT',
    url: '/v1/binding-descriptions/{bindingDescriptionId}',
    summary: 'Update a binding description; bindings made from it do not change',
    access: permission('manage', 'binding_description', descriptionId),
    params: DescriptionPath,
    body: PutDescription,
    response: { 200: DescriptionRecord },
    handler: ({ params, body, caller }) => putDescription(ctx, caller, params.bindingDescriptionId, body),
  }),
  route({
    method: 'DELETE',
    url: '/v1/binding-descriptions/{bindingDescriptionId}',
    summary: 'Delete a binding description; bindings made from it do not change',
    access: permission('delete', 'binding_description', descriptionId),
    params: DescriptionPath,
    response: { 204: null },
    handler: ({ params, caller }) =>
      audited(ctx.db, { actor: caller, action: 'delete', resourceType }, async (tx) => {
        const { tenantId } = caller
        const before = descriptionShape(
          await getDescriptionForUpdate(tx, tenantId, params.bindingDescriptionId),
        )
        await deleteDescription(tx, tenantId, before.id)
        return { before }
      }),
  }),
]
