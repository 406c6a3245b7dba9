/** Deployments of a release to many clients. [docs/firmware#deployments] */
import Type from 'typebox'
import { visibleTo } from '../../access/decisions/visible-to.ts'
import { findCallerReach } from '../../access/require.ts'
import type { Context } from '../../context.ts'
import type { DeploymentRow } from '../../database/tables/firmware.ts'
import { permission, privilege, visible } from '../../http/access.ts'
import { isUuid, pageRequest, platformPage } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { UpdateQuery } from '../updates/query.ts'
import { UpdateRecord, updateShape } from '../updates/schema.ts'
import { listUpdates } from '../updates/store.ts'
import { changeDeployment, removeDeployment } from './change-deployment.ts'
import { listCounts, listUpdateCounts } from './list-counts.ts'
import { createDeployment } from './create-deployment.ts'
import { DeploymentPreview, PreviewDeployment, previewDeployment } from './preview-deployment.ts'
import { listPreviousReleases } from './previous-deployment.ts'
import {
  CreateDeployment,
  DeploymentDetails,
  DeploymentPath,
  DeploymentQuery,
  DeploymentRecord,
  deploymentShape,
  DeploymentSummary,
  detailsShape,
  PreviousReleases,
  summaryShape,
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
    method: 'POST',
    url: '/v1/firmware/deployments/preview',
    operationId: 'previewDeployment',
    summary: 'Choose the clients of a deployment, and count what would happen; nothing is stored',
    access: privilege('firmware_management'),
    body: PreviewDeployment,
    unknownFields: 'refuse',
    bodyLimit: BODY_LIMIT,
    response: { 200: DeploymentPreview },
    handler: ({ body, caller }) => previewDeployment(ctx, caller, body),
  }),
  route({
    method: 'GET',
    url: '/v1/firmware/deployments',
    summary: 'List deployments, the newest first',
    access: visible('firmware'),
    query: DeploymentQuery,
    response: { 200: Type.Array(DeploymentSummary) },
    handler: async ({ caller, query, request }) => {
      const page = pageRequest(query, isUuid)
      const seen = visibleTo(await findCallerReach(ctx, caller, 'firmware'), {
        id: 'deployments.id',
        organization: 'deployments.organization_id',
      })
      using open = ctx.queries.open(caller.tenantId)
      const rows = await listDeployments(open.db, caller.tenantId, { visible: seen, query }, page)
      const counts = await listUpdateCounts(
        open.db,
        caller.tenantId,
        rows.map(({ id }) => id),
      )
      const shape = (row: DeploymentRow) =>
        summaryShape(
          row,
          counts.filter((count) => count.deployment_id === row.id),
        )
      return platformPage({ rows, limit: page.limit, shape, request })
    },
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
    query: UpdateQuery,
    response: { 200: Type.Array(UpdateRecord) },
    handler: async ({ params, query, caller, request }) => {
      const { id } = await getDeployment(ctx.db, caller.tenantId, params.deploymentId)
      const page = pageRequest(query, isUuid)
      const rows = await listUpdates(ctx.db, { tenantId: caller.tenantId, deploymentId: id, query }, page)
      return platformPage({ rows, limit: page.limit, shape: updateShape, request })
    },
  }),
  route({
    method: 'GET',
    url: '/v1/firmware/deployments/{deploymentId}/previous-releases',
    operationId: 'listPreviousReleases',
    summary: 'Count the clients that a deployment has updated by the release that they had before',
    access: permission('view', 'firmware', deploymentId),
    params: DeploymentPath,
    response: { 200: PreviousReleases },
    handler: async ({ params, caller }) => {
      const deployment = await getDeployment(ctx.db, caller.tenantId, params.deploymentId)
      using open = ctx.queries.open(caller.tenantId)
      return await listPreviousReleases(open.db, deployment)
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
