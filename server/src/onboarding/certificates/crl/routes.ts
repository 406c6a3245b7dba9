import Type from 'typebox'
import type { Context } from '../../../context.ts'
import { open } from '../../../http/access.ts'
import { ApiError } from '../../../http/errors.ts'
import { answer, route, type Route } from '../../../http/route.ts'
import { SuppliedId, Uuid } from '../../../http/shapes.ts'
import { createRevocationLists, type RevocationList } from './revocation-lists.ts'

const TYPE = 'application/pkix-crl'
/** How long a cache may serve a list that a revocation has outdated meanwhile. */
const MAX_AGE_SECONDS = 300

export function revocationListRoutes(ctx: Context): Route[] {
  const lists = createRevocationLists(ctx)
  return [
    route({
      method: 'GET',
      url: '/.well-known/pki/{tenant}/crl',
      operationId: 'getRevocationList',
      summary:
        'The revocation list of a certificate authority (DER), at the address that its certificates name',
      access: open(),
      params: Type.Object({ tenant: { ...SuppliedId, description: 'Id of the tenant' } }),
      query: Type.Object({
        authority: Type.Optional({ ...Uuid, description: 'Default: the active issuing authority' }),
      }),
      response: { 200: Type.String({ format: 'binary' }), 304: null },
      produces: TYPE,
      handler: async ({ params: { tenant }, query: { authority }, request }) => {
        const list = await lists.get(tenant, authority)
        if (!list)
          throw new ApiError(
            'not_found',
            'There is no such certificate authority, or its list is not made here.',
          )
        const headers = listHeaders(list)
        if (request.headers['if-none-match'] === headers.etag) return answer(304, undefined, headers)
        return answer(200, list.crl, { ...headers, 'content-type': TYPE })
      },
    }),
  ]
}

function listHeaders({ authorityId, number, madeAt, nextUpdate }: RevocationList) {
  const secondsLeft = Math.floor((nextUpdate.getTime() - Date.now()) / 1000)
  return {
    etag: `"${authorityId}-${number}"`,
    'last-modified': madeAt.toUTCString(),
    expires: nextUpdate.toUTCString(),
    'cache-control': `public, max-age=${Math.max(0, Math.min(MAX_AGE_SECONDS, secondsLeft))}`,
  }
}
