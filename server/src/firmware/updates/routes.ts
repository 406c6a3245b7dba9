/** Firmware updates of single clients. [docs/firmware#updates] */
import Type from 'typebox'
import { requirePermission } from '../../access/require.ts'
import { audited } from '../../audit/audited.ts'
import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import { type Caller, permission, user } from '../../http/access.ts'
import { ApiError } from '../../http/errors.ts'
import { pageRequest, platformPage, PlatformPageQuery } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { DeviceId, Uuid } from '../../http/shapes.ts'
import { ClientPath } from '../../providers/clients/schema.ts'
import { getClient } from '../../providers/clients/store.ts'
import { endUpdate } from './end-update.ts'
import { CancelUpdate, ClientUpdateRecord, clientUpdateShape, UpdateRecord, updateShape } from './schema.ts'
import {
  deleteEndedUpdate,
  findActiveUpdate,
  findLatestUpdate,
  getLatestUpdate,
  getUpdate,
  isPlaceOfUpdate,
  listClientUpdates,
  placeOfUpdate,
  type UpdateRow,
} from './store.ts'

const resourceType = 'firmware_update'

export const updateRoutes = (ctx: Context): Route[] => [
  route({
    method: 'GET',
    url: '/v1/provider-client/firmware-update/status',
    operationId: 'getFirmwareUpdate',
    summary: "Get a client's running firmware update, else the newest one",
    access: user(),
    query: Type.Object({ providerClientId: DeviceId }),
    response: { 200: UpdateRecord },
    handler: async ({ query: { providerClientId: id }, caller }) => {
      await requirePermission(ctx, caller, 'view', { type: 'provider_client', id })
      return updateShape(await getLatestUpdate(ctx.db, caller.tenantId, id))
    },
  }),
  route({
    method: 'GET',
    url: '/v1/providers/{providerId}/clients/{clientId}/firmware-update',
    operationId: 'getFirmwareUpdateOfClient',
    summary: "Get a client's running firmware update, else the newest one, by provider and client",
    access: permission('view', 'provider_client', (p) => p.clientId!),
    params: ClientPath,
    response: { 200: UpdateRecord },
    handler: async ({ params, caller }) => {
      await getClient(ctx.db, { ...params, tenantId: caller.tenantId })
      return updateShape(await getLatestUpdate(ctx.db, caller.tenantId, params.clientId))
    },
  }),
  route({
    method: 'GET',
    url: '/v1/providers/{providerId}/clients/{clientId}/firmware-updates',
    operationId: 'listFirmwareUpdatesOfClient',
    summary: "List a client's firmware updates and rollbacks with their releases, newest first",
    access: permission('view', 'provider_client', (p) => p.clientId!),
    params: ClientPath,
    query: PlatformPageQuery,
    response: { 200: Type.Array(ClientUpdateRecord) },
    handler: async ({ params, query, caller, request }) => {
      const client = { ...params, tenantId: caller.tenantId }
      await getClient(ctx.db, client)
      const page = pageRequest(query, isPlaceOfUpdate)
      const rows = await listClientUpdates(ctx.db, client, page)
      return platformPage({ rows, limit: page.limit, shape: clientUpdateShape, key: placeOfUpdate, request })
    },
  }),
  route({
    method: 'POST',
    url: '/v1/provider-client/firmware-update/cancel',
    operationId: 'cancelFirmwareUpdate',
    summary: "Cancel a client's firmware update, and restore the desired properties that it set",
    access: user(),
    body: CancelUpdate,
    response: { 200: UpdateRecord },
    handler: async ({ body, caller }) => {
      const { providerClientId: id } = body
      await requirePermission(ctx, caller, 'manage', { type: 'provider_client', id })
      return updateShape(await cancelUpdate(ctx, caller, id, body.deploymentId))
    },
  }),
  route({
    method: 'DELETE',
    url: '/v1/provider-client/firmware-update/{id}',
    operationId: 'deleteFirmwareUpdate',
    summary: 'Delete the record of an update that has ended',
    access: user(),
    params: Type.Object({ id: Uuid }),
    response: { 204: null },
    handler: async ({ params, caller }) => removeUpdate(ctx, caller, params.id),
  }),
]

/**
 * Without a deployment, each call cancels the running update, else the next one in the queue. With a deployment, a
 * repeated call has the same answer and changes nothing.
 * @throws not_found, conflict
 */
async function cancelUpdate(
  ctx: Context,
  caller: Caller,
  clientId: string,
  deploymentId: string | undefined,
): Promise<UpdateRow> {
  const { tenantId } = caller
  const active = await findActiveUpdate(ctx.db, tenantId, clientId, deploymentId)
  const update =
    active ??
    (await findLatestUpdate(ctx.db, tenantId, clientId, deploymentId)) ??
    (await getLatestUpdate(ctx.db, tenantId, clientId))
  const message = 'Cancelled; the previous desired properties were restored.'
  const isEnded =
    active !== undefined &&
    (await endUpdate(ctx, caller, { update: active, event: 'cancelled', log: { level: 'Warning', message } }))
  const after = await getUpdate(ctx.db, tenantId, update.id)
  if (isEnded)
    await recordAudit(ctx.db, caller, {
      action: 'cancel',
      resourceType,
      resourceId: update.id,
      before: updateShape(update),
      after: updateShape(after),
    })
  if (after.state !== 'Cancelled' || (deploymentId && after.deployment_id !== deploymentId.toLowerCase()))
    throw new ApiError(
      'conflict',
      `No update of ${clientId} is Ready or Running${deploymentId ? ' in this deployment' : ''}.`,
    )
  return after
}

/** @throws not_found, forbidden; conflict while the update has not ended */
async function removeUpdate(ctx: Context, caller: Caller, id: string): Promise<void> {
  const update = await getUpdate(ctx.db, caller.tenantId, id)
  await requirePermission(ctx, caller, 'manage', { type: 'provider_client', id: update.client_id })
  await audited(ctx.db, { actor: caller, action: 'delete', resourceType }, async (tx) => {
    if (!(await deleteEndedUpdate(tx, caller.tenantId, id)))
      throw new ApiError('conflict', 'This update has not ended. Cancel it first.', { status: update.state })
    return { resourceId: id, before: updateShape(update) }
  })
}
