import Type from 'typebox'
import { findCallerReach } from '../../access/require.ts'
import { visibleTo } from '../../access/decisions/visible-to.ts'
import type { Context } from '../../context.ts'
import { both } from '../../database/search.ts'
import { type Caller, permission, privilege, visible } from '../../http/access.ts'
import { ApiError } from '../../http/errors.ts'
import { isDeviceId, pageRequest, platformPage } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { mergePatch, type Properties } from '../twin/merge-patch.ts'
import { ProviderPath } from '../schema.ts'
import { getProvider } from '../store.ts'
import { changeClient } from './change-client.ts'
import { createClient } from './create-client.ts'
import { provisionClient } from './provision-client.ts'
import { removeClient } from './remove-client.ts'
import {
  ClientPath,
  ClientRecord,
  clientShape,
  ComponentQuery,
  CreateClient,
  PatchClient,
  ProvisionClient,
  PutClient,
} from './schema.ts'
import { showClient } from './show-client.ts'
import { ClientQuery, matchesQuery } from './search-clients.ts'
import { listClients } from './store.ts'

const clientId = (p: Record<string, string>) => p.clientId!
const manage = permission('manage', 'provider_client', clientId)

/** A condition for the query of `listClients`. */
const isVisible = async (ctx: Context, caller: Caller) =>
  visibleTo(await findCallerReach(ctx, caller, 'provider_client'), {
    id: 'client.id',
    organization: 'client.organization_id',
  })

export const providerClientRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/providers/{providerId}/clients',
    summary: 'Create a provider client; for type `mqtt` also its keys',
    access: privilege('provider_client_management'),
    params: ProviderPath,
    body: CreateClient,
    response: { 201: ClientRecord },
    refuses: [422],
    handler: async ({ params, body, caller }) => {
      const row = await createClient(ctx, caller, params.providerId, body)
      if (row) return clientShape(row)
      throw new ApiError(
        'conflict',
        `The client ${body.id} exists already. Use another id, or PUT to change it.`,
      )
    },
  }),
  route({
    method: 'GET',
    url: '/v1/providers/{providerId}/clients',
    summary: "List a provider's clients",
    access: visible('provider_client'),
    params: ProviderPath,
    query: ClientQuery,
    response: { 200: Type.Array(ClientRecord) },
    handler: async ({ params, caller, query, request }) => {
      const page = pageRequest(query, isDeviceId)
      const { id: providerId } = await getProvider(ctx.db, caller.tenantId, params.providerId)
      const condition = both(await isVisible(ctx, caller), matchesQuery(query))
      const rows = await listClients(ctx.db, caller.tenantId, { providerId, visible: condition, page })
      return platformPage({ rows, limit: page.limit, shape: clientShape, request })
    },
  }),
  route({
    method: 'GET',
    url: '/v1/provider-clients',
    operationId: 'listClientsOfAllProviders',
    summary: 'List the clients of all providers',
    access: visible('provider_client'),
    query: ClientQuery,
    response: { 200: Type.Array(ClientRecord) },
    handler: async ({ caller, query, request }) => {
      const page = pageRequest(query, isDeviceId)
      const condition = both(await isVisible(ctx, caller), matchesQuery(query))
      const rows = await listClients(ctx.db, caller.tenantId, { visible: condition, page })
      return platformPage({ rows, limit: page.limit, shape: clientShape, request })
    },
  }),
  route({
    method: 'GET',
    url: '/v1/providers/{providerId}/clients/{clientId}',
    summary: 'Get a provider client with its provider data and connection',
    access: permission('view', 'provider_client', clientId),
    params: ClientPath,
    query: ComponentQuery,
    response: { 200: ClientRecord },
    handler: ({ params, query, caller }) =>
      showClient(ctx, { ...params, tenantId: caller.tenantId }, query.componentId ?? ''),
  }),
  route({
    method: 'PUT',
    url: '/v1/providers/{providerId}/clients/{clientId}',
    summary: 'Update a provider client; disabling it ends its MQTT sessions at once',
    access: manage,
    params: ClientPath,
    body: PutClient,
    response: { 200: ClientRecord },
    refuses: [422],
    handler: async ({ params, body: { enabled, providerData, ...body }, caller }) => {
      // [docs/providers#clients]
      const update = { ...body, enabled: enabled ?? true, providerData: providerData && (() => providerData) }
      return clientShape(await changeClient(ctx, caller, { ...params, tenantId: caller.tenantId }, update))
    },
  }),
  route({
    method: 'PATCH',
    url: '/v1/providers/{providerId}/clients/{clientId}',
    summary: 'Change some fields of a provider client; `providerData` is merged',
    access: manage,
    params: ClientPath,
    body: PatchClient,
    response: { 200: ClientRecord },
    refuses: [422],
    handler: async ({ params, body: { providerData, ...body }, caller }) => {
      const merge = providerData && ((before: Properties) => mergePatch(before, providerData))
      const update = { ...body, providerData: merge }
      return clientShape(await changeClient(ctx, caller, { ...params, tenantId: caller.tenantId }, update))
    },
  }),
  route({
    method: 'DELETE',
    url: '/v1/providers/{providerId}/clients/{clientId}',
    summary: 'Delete a provider client: its MQTT sessions end at once, and webhooks receive `device.deleted`',
    access: permission('delete', 'provider_client', clientId),
    params: ClientPath,
    response: { 204: null },
    refuses: [422],
    handler: ({ params, caller }) => removeClient(ctx, caller, { ...params, tenantId: caller.tenantId }),
  }),
  route({
    method: 'POST',
    url: '/v1/providers/{providerId}/clients/{clientId}/provision',
    operationId: 'provisionClient',
    summary: 'Apply a template and options to a provider client',
    access: manage,
    params: ClientPath,
    body: ProvisionClient,
    response: { 200: ClientRecord },
    refuses: [422],
    handler: async ({ params, body, caller }) =>
      clientShape(await provisionClient(ctx, caller, { ...params, tenantId: caller.tenantId }, body)),
  }),
]
