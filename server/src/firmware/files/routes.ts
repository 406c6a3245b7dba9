/** Firmware files: resources that a caller with `firmware_management` may add. [docs/firmware#files-and-releases] */
import Type from 'typebox'
import { insertRelations } from '../../access/relations/store.ts'
import { isAllowed, requirePrivilegeIn } from '../../access/require.ts'
import type { Context } from '../../context.ts'
import { privilege } from '../../http/access.ts'
import type { Caller } from '../../http/access.ts'
import { validationError } from '../../http/errors.ts'
import { isUuid } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { Uuid } from '../../http/shapes.ts'
import { createResource } from '../../resources/change-resource.ts'
import { contentOfFile } from '../../resources/content.ts'
import { ResourceRecord, resourceShape } from '../../resources/schema.ts'
import { withUpload } from '../../resources/uploads/receive-upload.ts'

const FirmwareForm = Type.Object({ organizationId: Uuid, file: Type.String({ format: 'binary' }) })

export const firmwareFileRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/firmware/files',
    operationId: 'uploadFirmwareFile',
    summary: 'Upload a firmware file',
    access: privilege('firmware_management'),
    rawBody: { as: 'multipart', contentType: 'multipart/form-data', schema: FirmwareForm },
    response: { 201: ResourceRecord },
    handler: ({ caller, request, reply }) =>
      withUpload(ctx, request, reply, async ({ file, fields }) => {
        const organizationId = fields.organizationId
        if (typeof organizationId !== 'string' || !isUuid(organizationId.toLowerCase()))
          throw validationError({ path: 'organizationId', message: 'must be the id of an organization' })
        await requirePrivilegeIn(ctx, caller, 'firmware_management', organizationId)
        const described = { displayName: file.name, description: null, tags: { type: 'firmware' } }
        const resource = await createResource(ctx, caller, {
          ...described,
          ...contentOfFile(file),
          organizationId,
        })
        await makeUploaderOwner(ctx, caller, resource.id)
        return resourceShape(ctx)(resource)
      }),
  }),
]

/** Lets the uploader view and delete the file: `firmware_management` does not include managing resources. */
async function makeUploaderOwner(ctx: Context, caller: Caller, id: string): Promise<void> {
  if (await isAllowed(ctx, caller, 'manage', { type: 'resource_item', id })) return
  await insertRelations(ctx.db, caller.tenantId, [
    {
      subjectType: 'user',
      subjectId: caller.userId,
      resourceType: 'resource_item',
      resourceId: id,
      relation: 'owner',
    },
  ])
}
