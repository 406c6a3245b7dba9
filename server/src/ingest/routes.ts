import Type from 'typebox'
import type { Context } from '../context.ts'
import { permission } from '../http/access.ts'
import { isUuid, pageRequest, platformPage, PlatformPageQuery } from '../http/page.ts'
import { route, type Route } from '../http/route.ts'
import { Uuid } from '../http/shapes.ts'
import { ClientPath } from '../providers/clients/schema.ts'
import { DeadLetter, deadLetterShape } from './dead-letters/schema.ts'
import { getDeadLetter, listDeadLetters } from './dead-letters/store.ts'
import { importRoutes } from './import-routes.ts'
import type { Ingest } from './ingest.ts'
import { previewBindingRoutes } from './preview-binding/routes.ts'
import { tryParserRoutes } from './try-parser/routes.ts'
import { TriedParser, TryOtherParser } from './try-parser/schema.ts'
import { tryParserOnBytes } from './try-parser/try-parser.ts'

export const ingestRoutes = (ctx: Context, ingest: Ingest): Route[] => [
  ...importRoutes(ctx, ingest),
  ...tryParserRoutes(ctx),
  ...previewBindingRoutes(ctx),
  route({
    method: 'GET',
    url: '/v1/providers/{providerId}/clients/{clientId}/dead-letters',
    summary: 'Messages of a client that could not be read, newest first, with the reason',
    access: permission('view', 'provider_client', (p) => p.clientId!),
    params: ClientPath,
    query: PlatformPageQuery,
    response: { 200: Type.Array(DeadLetter) },
    handler: async ({ caller, params, query, request }) => {
      const page = pageRequest(query, isUuid)
      using open = ctx.queries.open(caller.tenantId)
      const rows = await listDeadLetters(open.db, { tenantId: caller.tenantId, ...params }, page)
      return platformPage({ rows, limit: page.limit, shape: deadLetterShape, request })
    },
  }),
  route({
    method: 'GET',
    url: '/v1/providers/{providerId}/clients/{clientId}/dead-letters/{deadLetterId}',
    summary: 'One unreadable message, with its whole payload',
    access: permission('view', 'provider_client', (p) => p.clientId!),
    params: Type.Object({ ...ClientPath.properties, deadLetterId: Uuid }),
    response: { 200: DeadLetter },
    handler: async ({ caller, params }) =>
      deadLetterShape(
        await getDeadLetter(ctx.db, { tenantId: caller.tenantId, ...params }, params.deadLetterId),
      ),
  }),
  route({
    method: 'POST',
    url: '/v1/providers/{providerId}/clients/{clientId}/dead-letters/{deadLetterId}/try',
    operationId: 'tryParserOnDeadLetter',
    summary: 'Try another parser on an unreadable message, without storing anything',
    access: permission('view', 'provider_client', (p) => p.clientId!),
    readsOnly: true,
    params: Type.Object({ ...ClientPath.properties, deadLetterId: Uuid }),
    body: TryOtherParser,
    response: { 200: TriedParser },
    handler: async ({ caller, params, body }) => {
      const client = { tenantId: caller.tenantId, ...params }
      const { payload, received_at } = await getDeadLetter(ctx.db, client, params.deadLetterId)
      return tryParserOnBytes(ctx, body, payload, received_at.getTime())
    },
  }),
]
