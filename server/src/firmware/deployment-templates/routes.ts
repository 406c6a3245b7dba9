/** Deployment templates: the desired properties that start an update, and the statuses that devices report. [docs/firmware#deployment-templates] */
import Type from 'typebox'
import { listVisible } from '../../access/list-visible.ts'
import { requirePrivilegeIn } from '../../access/require.ts'
import { audited } from '../../audit/audited.ts'
import type { Context } from '../../context.ts'
import { permission, privilege, visible } from '../../http/access.ts'
import { PlatformSearchQuery } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import {
  CreateDeploymentTemplate,
  DeploymentTemplatePath,
  DeploymentTemplateRecord,
  deploymentTemplateShape,
  checkTemplate,
} from './schema.ts'
import {
  deleteDeploymentTemplate,
  getDeploymentTemplate,
  insertDeploymentTemplate,
  listDeploymentTemplates,
} from './store.ts'

const templateId = (p: Record<string, string>) => p.deploymentTemplateId!
const resourceType = 'firmware'

export const deploymentTemplateRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/firmware/deployment-templates',
    summary: 'Create a deployment template',
    access: privilege('firmware_management'),
    body: CreateDeploymentTemplate,
    response: { 201: DeploymentTemplateRecord },
    handler: async ({ body, caller }) => {
      checkTemplate(body)
      await requirePrivilegeIn(ctx, caller, 'firmware_management', body.organizationId)
      return audited(ctx.db, { actor: caller, action: 'create', resourceType }, async (tx) => {
        const after = deploymentTemplateShape(await insertDeploymentTemplate(tx, caller.tenantId, body))
        return { resourceId: after.templateId, after }
      })
    },
  }),
  route({
    method: 'GET',
    url: '/v1/firmware/deployment-templates',
    summary: 'List deployment templates',
    access: visible('firmware'),
    query: PlatformSearchQuery,
    response: { 200: Type.Array(DeploymentTemplateRecord) },
    handler: (input) =>
      listVisible(ctx, input, {
        type: 'firmware',
        columns: { id: 'deployment_templates.id', organization: 'deployment_templates.organization_id' },
        searched: ['deployment_templates.display_name'],
        list: listDeploymentTemplates,
        shape: deploymentTemplateShape,
      }),
  }),
  route({
    method: 'GET',
    url: '/v1/firmware/deployment-templates/{deploymentTemplateId}',
    summary: 'Get a deployment template',
    access: permission('view', 'firmware', templateId),
    params: DeploymentTemplatePath,
    response: { 200: DeploymentTemplateRecord },
    handler: async ({ params, caller }) =>
      deploymentTemplateShape(
        await getDeploymentTemplate(ctx.db, caller.tenantId, params.deploymentTemplateId),
      ),
  }),
  route({
    method: 'DELETE',
    url: '/v1/firmware/deployment-templates/{deploymentTemplateId}',
    summary: 'Delete a deployment template; deployments that use it continue',
    access: permission('delete', 'firmware', templateId),
    params: DeploymentTemplatePath,
    response: { 204: null },
    handler: ({ params, caller }) =>
      audited(ctx.db, { actor: caller, action: 'delete', resourceType }, async (tx) => {
        const before = deploymentTemplateShape(
          await deleteDeploymentTemplate(tx, caller.tenantId, params.deploymentTemplateId),
        )
        return { resourceId: before.templateId, before }
      }),
  }),
]
