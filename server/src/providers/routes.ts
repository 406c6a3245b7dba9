/** `/v1/providers` and everything below it. */
import Type from 'typebox'
import { listVisible } from '../access/list-visible.ts'
import { requirePrivilegeIn } from '../access/require.ts'
import { audited } from '../audit/audited.ts'
import type { Context } from '../context.ts'
import { permission, privilege, user, visible } from '../http/access.ts'
import { isSuppliedId, PlatformSearchQuery } from '../http/page.ts'
import { route, type Route } from '../http/route.ts'
import { SuppliedId } from '../http/shapes.ts'
import { findCircuits } from '../jobs/circuits.ts'
import { deliveryState } from '../jobs/delivery-state.ts'
import { receiverName } from '../jobs/receiver.ts'
import { newId } from '../lib/ids.ts'
import { providerClientRoutes } from './clients/routes.ts'
import { sealNewConnection, auditConnectionString } from './connection-string.ts'
import { credentialRoutes } from './credentials/routes.ts'
import { getProviderKind } from './kinds/get-provider-kind.ts'
import { providerReceiver } from './kinds/provider-receiver.ts'
import { methodRoutes } from './methods/routes.ts'
import { methodTemplateRoutes } from './methods/templates/routes.ts'
import { providerApiRoutes } from './provider-api/routes.ts'
import { putProvider } from './put-provider.ts'
import {
  CreateProvider,
  ProviderPath,
  ProviderRecord,
  providerShape,
  ProviderTypeName,
  ProviderWithDelivery,
  PutProvider,
} from './schema.ts'
import { deleteProvider, getProvider, insertProvider, listProviders } from './store.ts'
import { providerTemplateRoutes } from './templates/routes.ts'
import { twinRoutes } from './twin/routes.ts'
import { webhookRoutes } from './webhooks/routes.ts'

const resourceType = 'provider'

export const providerRoutes = (ctx: Context): Route[] => [
  ...recordRoutes(ctx),
  ...providerClientRoutes(ctx),
  ...providerApiRoutes(ctx),
  ...credentialRoutes(ctx),
  ...twinRoutes(ctx),
  ...methodRoutes(ctx),
  ...methodTemplateRoutes(ctx),
  ...webhookRoutes(ctx),
  ...providerTemplateRoutes(ctx),
]

const providerId = (p: Record<string, string>) => p.providerId!

const recordRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/providers',
    summary: 'Create a provider',
    access: privilege('provider_management'),
    body: CreateProvider,
    response: { 201: ProviderRecord },
    handler: async ({ body, caller }) => {
      ctx.parsers.of(body.providerData?.parser, 'providerData.parser')
      await requirePrivilegeIn(ctx, caller, 'provider_management', body.organizationId)
      const { connectionString, id = newId(), ...rest } = body
      const place = { tenantId: caller.tenantId, id, type: body.type }
      const connectionStringSealed = sealNewConnection(ctx, place, connectionString)
      return audited(ctx.db, { actor: caller, action: 'create', resourceType }, async (tx) => {
        const row = await insertProvider(tx, caller.tenantId, { ...rest, id, connectionStringSealed })
        const record = providerShape(row)
        return { resourceId: id, after: { ...record, ...auditConnectionString(body) }, result: record }
      })
    },
  }),
  route({
    method: 'GET',
    url: '/v1/providers',
    summary: 'List providers',
    access: visible('provider'),
    query: Type.Object({ ...PlatformSearchQuery.properties, type: Type.Optional(ProviderTypeName) }),
    response: { 200: Type.Array(ProviderRecord) },
    handler: (input) =>
      listVisible(ctx, input, {
        type: 'provider',
        columns: { id: 'providers.id', organization: 'providers.organization_id' },
        searched: ['providers.id', 'providers.display_name'],
        isId: isSuppliedId,
        list: (db, tenantId, seen, page) =>
          listProviders(db, tenantId, { visible: seen, filter: { type: input.query.type }, page }),
        shape: providerShape,
      }),
  }),
  route({
    method: 'GET',
    url: '/v1/providers/{providerId}',
    summary: 'Get a provider',
    access: permission('view', 'provider', providerId),
    params: ProviderPath,
    response: { 200: ProviderWithDelivery },
    handler: async ({ params, caller }) => {
      const row = await getProvider(ctx.db, caller.tenantId, params.providerId)
      if (!getProviderKind(row.type).remote) return providerShape(row)
      const receiver = providerReceiver({ tenant_id: row.tenant_id, provider_id: row.id }, 'desired')
      const circuits = await findCircuits(ctx.db, [receiver])
      return { ...providerShape(row), delivery: deliveryState(circuits.get(receiverName(receiver))) }
    },
  }),
  route({
    method: 'PUT',
    url: '/v1/providers/{providerId}',
    summary:
      'Create a provider, which requires the privilege `provider_management`, or update it, which requires `manage`',
    access: user(),
    params: Type.Object({ providerId: SuppliedId }),
    body: PutProvider,
    response: { 200: ProviderRecord },
    handler: async ({ params, body, caller }) =>
      providerShape(await putProvider(ctx, caller, params.providerId, body)),
  }),
  route({
    method: 'DELETE',
    url: '/v1/providers/{providerId}',
    summary: 'Delete a provider that has no clients',
    access: permission('delete', 'provider', providerId),
    params: ProviderPath,
    response: { 204: null },
    handler: ({ params, caller }) =>
      audited(ctx.db, { actor: caller, action: 'delete', resourceType }, async (tx) => ({
        before: providerShape(await deleteProvider(tx, caller.tenantId, params.providerId)),
      })),
  }),
]
