import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Context } from '../../context.ts'
import { open, permission } from '../../http/access.ts'
import { ApiError } from '../../http/errors.ts'
import { type Answer, route, type Route } from '../../http/route.ts'
import { Uuid } from '../../http/shapes.ts'
import { MissingFileError } from '../files/storage.ts'
import type { ResourceRow } from '../schema.ts'
import { getResource } from '../store.ts'
import { answerContent } from './answer-content.ts'
import { findLinked } from './signed-links.ts'

const Bytes = Type.String({ format: 'binary' })
const response = { 200: Bytes, 206: Bytes, 304: null, 416: null }

export const downloadRoutes = (ctx: Context): Route[] => [
  route({
    method: 'GET',
    url: '/v1/resources/download/{resourceId}',
    operationId: 'downloadResource',
    summary: "Download a resource's file or document, whole or a range of it",
    access: permission('view', 'resource_item', (p) => p.resourceId!),
    forDashboards: true,
    params: Type.Object({ resourceId: Uuid }),
    produces: '*/*',
    response,
    handler: ({ params, caller, request, reply }) =>
      answerNewest(ctx, request, reply, () => getResource(ctx.db, caller.tenantId, params.resourceId)),
  }),
  route({
    method: 'GET',
    url: '/v1/files/{token}',
    operationId: 'downloadByLink',
    summary: 'Download by a signed link, without authentication',
    access: open(),
    uncounted: true,
    unknownParameters: 'ignore',
    params: Type.Object({ token: Type.String({ maxLength: 1024 }) }),
    produces: '*/*',
    response,
    handler: ({ params, request, reply }) =>
      answerNewest(ctx, request, reply, async () => {
        const row = await findLinked(ctx, params.token)
        if (!row)
          throw new ApiError(
            'not_found',
            'This link has expired, or its file was replaced. Ask for a new one.',
          )
        return row
      }),
  }),
]

/** If a file is replaced between the lookup of its key and opening it, its key is looked up again. */
async function answerNewest(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  find: () => Promise<ResourceRow>,
): Promise<Answer> {
  let row = await find()
  for (;;) {
    try {
      return await answerContent(ctx, row, request, reply)
    } catch (error) {
      const newer = await find()
      if (!(error instanceof MissingFileError) || newer.file_key === row.file_key) throw error
      row = newer
    }
  }
}
