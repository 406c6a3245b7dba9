import Type from 'typebox'
import type { Context } from '../../context.ts'
import { permission, privilege } from '../../http/access.ts'
import { route, type Route } from '../../http/route.ts'
import { Uuid } from '../../http/shapes.ts'
import { changeResource, createResource, deleteUnusedFile } from '../change-resource.ts'
import { contentOfFile, requireFile } from '../content.ts'
import { chooseOrganization } from '../choose-organization.ts'
import { ReplaceForm, ResourceRecord, resourceShape, UploadForm } from '../schema.ts'
import { readUploadFields } from './read-fields.ts'
import { withUpload } from './receive-upload.ts'

const form = { as: 'multipart', contentType: 'multipart/form-data' } as const

export const uploadRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/resources/upload',
    operationId: 'uploadFile',
    summary: 'Upload a file',
    access: privilege('resource_item_management'),
    rawBody: { ...form, schema: UploadForm },
    response: { 201: ResourceRecord },
    handler: ({ caller, request, reply }) =>
      withUpload(ctx, request, reply, async ({ file, fields }) => {
        const read = readUploadFields(fields)
        const { displayName = file.name, description = null, tags = {}, authorizationContext } = read
        const organizationId = await chooseOrganization(
          ctx,
          caller,
          'resource_item_management',
          read.organizationId,
        )
        const described = { displayName, description, tags }
        const resource = { ...described, ...contentOfFile(file), organizationId, authorizationContext }
        return resourceShape(ctx)(await createResource(ctx, caller, resource))
      }),
  }),
  route({
    method: 'PUT',
    url: '/v1/resources/upload/{resourceId}',
    operationId: 'replaceFile',
    summary: 'Replace the file of a resource, which keeps its id',
    access: permission('manage', 'resource_item', (p) => p.resourceId!),
    params: Type.Object({ resourceId: Uuid }),
    rawBody: { ...form, schema: ReplaceForm },
    response: { 200: ResourceRecord },
    handler: ({ params, caller, request, reply }) =>
      withUpload(ctx, request, reply, async ({ file }) => {
        const { before, after } = await changeResource(ctx, caller, params.resourceId, (row) => {
          requireFile(row)
          return contentOfFile(file)
        })
        // Open readers of the old file can finish.
        await deleteUnusedFile(ctx, before.file_key!)
        return resourceShape(ctx)(after)
      }),
  }),
]
