/** Deployments of a release to many clients. [docs/firmware#deployments] */
import Type from 'typebox'
import { listVisible } from '../../access/list-visible.ts'
import type { Context } from '../../context.ts'
import { permission, privilege, visible } from '../../http/access.ts'
import { isUuid, pageRequest, platformPage, PlatformPageQuery, PlatformSearchQuery } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { UpdateRecord, updateShape } from '../updates/schema.ts'
import { listUpdates } from '../updates/store.ts'
import { changeDeployment, removeDeployment } from './change-deployment.ts'
import { listCounts } from './list-counts.ts'
import { createDeployment } from './create-deployment.ts'
import {
  CreateDeployment,
  DeploymentDetails,
  DeploymentPath,
  DeploymentRecord,
  deploymentShape,
  detailsShape,
} from './schema.ts'
import { getDeployment, listDeployments } from './store.ts'

/** Enough for 100,000 ids of 128 characters. */
const BODY_LIMIT = 16 * 1024 * 1024

const summaries = {
  pause: 'Pause a deployment: no more updates start, running updates continue',
  resume: 'Resume a paused deployment',
  cancel: 'Cancel a deployment, and restore the desired properties that its running updates have set',
}

const deploymentId = (p: Record<string, string>) => p.deploymentId!

export const deploymentRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/firmware/deployments',
    summary: 'Deploy a release to provider clients, in waves if the rollout has them',
    access: privilege('firmware_management'),
    body: CreateDeployment,
    unknownFields: 'refuse',
    bodyLimit: BODY_LIMIT,
    response: { 201: DeploymentDetails },
    handler: async ({ body, caller }) => {
      const row = await createDeployment(ctx, caller, body)
      return detailsShape(row, await listCounts(ctx.db, row))
    },
  }),
  route({
    method: 'GET',
    url: '/v1/firmware/deployments',
    summary: 'List deployments',
    access: visible('firmware'),
    query: PlatformSearchQuery,
    response: { 200: Type.Array(DeploymentRecord) },
    handler: (input) =>
      listVisible(ctx, input, {
        type: 'firmware',
        columns: { id: 'deployments.id', organization: 'deployments.organization_id' },
        searched: ['deployments.display_name'],
        list: listDeployments,
        shape: deploymentShape,
      }),
  }),
  route({
    method: 'GET',
    url: '/v1/firmware/deployments/{deploymentId}',
    summary: 'Get a deployment, with the number of its updates in each state',
    access: permission('view', 'firmware', deploymentId),
    params: DeploymentPath,
    response: { 200: DeploymentDetails },
    handler: async ({ params, caller }) => {
      const row = await getDeployment(ctx.db, caller.tenantId, params.deploymentId)
      return detailsShape(row, await listCounts(ctx.db, row))
    },
  }),
  route({
    method: 'GET',
    url: '/v1/firmware/deployments/{deploymentId}/updates',
    operationId: 'listFirmwareUpdates',
    summary: "List a deployment's updates, including rollbacks",
    access: permission('view', 'firmware', deploymentId),
    params: DeploymentPath,
    query: PlatformPageQuery,
    response: { 200: Type.Array(UpdateRecord) },
    handler: async ({ params, query, caller, request }) => {
      const { id } = await getDeployment(ctx.db, caller.tenantId, params.deploymentId)
      const page = pageRequest(query, isUuid)
      const rows = await listUpdates(ctx.db, caller.tenantId, id, page)
      return platformPage({ rows, limit: page.limit, shape: updateShape, request })
    },
  }),
  ...(['pause', 'resume', 'cancel'] as const).map((event) =>
    route({
      method: 'POST',
      url: `/v1/firmware/deployments/{deploymentId}/${event}`,
      operationId: `${event}Deployment`,
      summary: summaries[event],
      access: permission('manage', 'firmware', deploymentId),
      params: DeploymentPath,
      // Running updates are reverted after the answer. [docs/api#answers]
      response: { [event === 'cancel' ? 202 : 200]: DeploymentRecord },
      handler: async ({ params, caller }) =>
        deploymentShape(await changeDeployment(ctx, caller, params.deploymentId, event)),
    }),
  ),
  route({
    method: 'DELETE',
    url: '/v1/firmware/deployments/{deploymentId}',
    summary: 'Delete a deployment that has ended',
    access: permission('delete', 'firmware', deploymentId),
    params: DeploymentPath,
    response: { 204: null },
    handler: ({ params, caller }) => removeDeployment(ctx, caller, params.deploymentId),
  }),
]
