import Type from 'typebox'
import type { Context } from '../../../context.ts'
import { privilegeInRoot } from '../../../http/access.ts'
import { isUuid, pageRequest, platformPage, PlatformPageQuery } from '../../../http/page.ts'
import { answer, route, type Route } from '../../../http/route.ts'
import { Uuid } from '../../../http/shapes.ts'
import { toPem } from '../pem.ts'
import { readImportedAuthority } from './read-imported.ts'
import { importIssuing, rotateIssuing } from './replace-issuing.ts'
import { AuthorityRecord, authorityShape } from './schema.ts'
import { getAuthority, listAuthorityPage } from './store.ts'

const access = privilegeInRoot('provider_client_management')
const url = '/v1/certificate-authorities'

const ImportAuthority = Type.Object({
  certificates: Type.String({
    minLength: 1,
    maxLength: 65_536,
    description: 'PEM: the certificate of the issuing authority, then that of each issuer, up to the root',
  }),
  privateKey: Type.String({
    minLength: 1,
    maxLength: 16_384,
    description: 'PEM: the key of the first certificate, not encrypted. It is sealed, and never shown',
  }),
})

export const certificateAuthorityRoutes = (ctx: Context): Route[] => [
  route({
    method: 'GET',
    url,
    summary: 'List the certificate authorities of the tenant, the newest first',
    access,
    query: PlatformPageQuery,
    response: { 200: Type.Array(AuthorityRecord) },
    handler: async ({ query, caller, request }) => {
      const page = pageRequest(query, isUuid)
      const rows = await listAuthorityPage(ctx.db, caller.tenantId, page)
      return platformPage({ rows, limit: page.limit, shape: authorityShape, request })
    },
  }),
  route({
    method: 'POST',
    url: `${url}/rotate`,
    operationId: 'rotateCertificateAuthority',
    summary: 'Make a new issuing authority; the previous one is retired, and its certificates stay valid',
    access,
    response: { 201: AuthorityRecord },
    handler: async ({ caller }) => authorityShape(await rotateIssuing(ctx, caller)),
  }),
  route({
    method: 'POST',
    url: `${url}/import`,
    operationId: 'importCertificateAuthority',
    summary: 'Issue with an authority of your own from now on; the previous one is retired',
    access,
    body: ImportAuthority,
    unknownFields: 'refuse',
    response: { 201: AuthorityRecord },
    handler: async ({ body, caller }) => {
      const imported = readImportedAuthority(body.certificates, body.privateKey)
      return authorityShape(await importIssuing(ctx, caller, imported))
    },
  }),
  route({
    method: 'GET',
    url: `${url}/{authorityId}/certificates`,
    operationId: 'getCertificateAuthorityChain',
    summary: 'The certificate of an authority and those above it up to the root, in PEM',
    access,
    params: Type.Object({ authorityId: Uuid }),
    response: { 200: Type.String() },
    produces: 'application/x-pem-file',
    handler: async ({ params: { authorityId }, caller }) => {
      const { certificate, chain } = await getAuthority(ctx.db, caller.tenantId, authorityId)
      const body = [certificate, ...chain].map(toPem).join('')
      return answer(200, body, { 'content-type': 'application/x-pem-file' })
    },
  }),
]
