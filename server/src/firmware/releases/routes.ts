/** Firmware releases: the software to install, and the models on which it can be installed. [docs/firmware#files-and-releases] */
import Type from 'typebox'
import { listVisible } from '../../access/list-visible.ts'
import { requirePrivilegeIn } from '../../access/require.ts'
import { audited } from '../../audit/audited.ts'
import type { Context } from '../../context.ts'
import { permission, privilege, visible } from '../../http/access.ts'
import { PlatformSearchQuery } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { checkRelease } from './require-parts.ts'
import { CreateRelease, ReleasePath, ReleaseRecord, releaseShape, ReplaceRelease } from './schema.ts'
import {
  deleteRelease,
  getRelease,
  getReleaseForUpdate,
  insertRelease,
  listReleases,
  updateRelease,
} from './store.ts'

const releaseId = (p: Record<string, string>) => p.releaseId!
const resourceType = 'firmware'

export const releaseRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/firmware/releases',
    summary: 'Create a firmware release',
    access: privilege('firmware_management'),
    body: CreateRelease,
    response: { 201: ReleaseRecord },
    handler: async ({ body, caller }) => {
      await requirePrivilegeIn(ctx, caller, 'firmware_management', body.organizationId)
      return audited(ctx.db, { actor: caller, action: 'create', resourceType }, async (tx) => {
        const release = await checkRelease(tx, caller, body)
        return { after: releaseShape(await insertRelease(tx, caller.tenantId, body.organizationId, release)) }
      })
    },
  }),
  route({
    method: 'GET',
    url: '/v1/firmware/releases',
    summary: 'List firmware releases',
    access: visible('firmware'),
    query: PlatformSearchQuery,
    response: { 200: Type.Array(ReleaseRecord) },
    handler: (input) =>
      listVisible(ctx, input, {
        type: 'firmware',
        columns: { id: 'firmware_releases.id', organization: 'firmware_releases.organization_id' },
        searched: ['firmware_releases.display_name'],
        list: listReleases,
        shape: releaseShape,
      }),
  }),
  route({
    method: 'GET',
    url: '/v1/firmware/releases/{releaseId}',
    summary: 'Get a firmware release',
    access: permission('view', 'firmware', releaseId),
    params: ReleasePath,
    response: { 200: ReleaseRecord },
    handler: async ({ params, caller }) =>
      releaseShape(await getRelease(ctx.db, caller.tenantId, params.releaseId)),
  }),
  route({
    method: 'PUT',
    url: '/v1/firmware/releases/{releaseId}',
    summary: 'Replace a firmware release; its deployments continue with the previous values',
    access: permission('manage', 'firmware', releaseId),
    params: ReleasePath,
    body: ReplaceRelease,
    response: { 200: ReleaseRecord },
    handler: ({ params, body, caller }) =>
      audited(ctx.db, { actor: caller, action: 'update', resourceType }, async (tx) => {
        const { tenantId } = caller
        const before = releaseShape(await getReleaseForUpdate(tx, tenantId, params.releaseId))
        const release = await checkRelease(tx, caller, body, before)
        const after = releaseShape(await updateRelease(tx, tenantId, before.id, release))
        return { before, after }
      }),
  }),
  route({
    method: 'DELETE',
    url: '/v1/firmware/releases/{releaseId}',
    summary: 'Delete a firmware release; its deployments continue',
    access: permission('delete', 'firmware', releaseId),
    params: ReleasePath,
    response: { 204: null },
    handler: ({ params, caller }) =>
      audited(ctx.db, { actor: caller, action: 'delete', resourceType }, async (tx) => {
        const before = releaseShape(await getReleaseForUpdate(tx, caller.tenantId, params.releaseId))
        await deleteRelease(tx, caller.tenantId, before.id)
        return { before }
      }),
  }),
]
