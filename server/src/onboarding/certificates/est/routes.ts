/**
 * Enrollment over Secure Transport (RFC 7030), at the path of a group and at the path without one, where the identity of the
 * device names its group. [docs/certificates#est]
 */
import Type from 'typebox'
import type { Context } from '../../../context.ts'
import { deviceEnrollment, open } from '../../../http/access.ts'
import { ApiError } from '../../../http/errors.ts'
import { isUuid } from '../../../http/page.ts'
import { route, type Route } from '../../../http/route.ts'
import { createIssuer } from '../issue/issuer.ts'
import type { IssueCertificate } from '../issue/issuer.ts'
import { MAX_REQUEST_BYTES } from './decode-body.ts'
import {
  certificatesAnswer,
  csrAttributesAnswer,
  keyAndCertificateAnswer,
  readsLines,
} from './encode-answer.ts'
import { enroll, type Operation } from './enroll.ts'
import type { EnrollingDevice } from './enrolling-device.ts'
import { findEnrollingGroups } from './find-group.ts'
import { listTrustedAuthorities } from './list-authorities.ts'
import { requireTls } from './require-tls.ts'

const PREFIX = '/.well-known/est'
const groupPrefix = `${PREFIX}/{enrollmentGroupId}`
const GroupParams = Type.Object({
  enrollmentGroupId: Type.String({ description: 'The enrollment group of the device' }),
})
const Base64 = Type.String({ description: 'Base64 in lines of 64 characters' })
const response = { 200: Base64 }

export const estRoutes = (ctx: Context): Route[] => {
  const issue = createIssuer(ctx)
  return [
    ...authorityRoutes(ctx),
    ...attributeRoutes(ctx),
    ...operations.flatMap((operation) => enrollmentRoutes(issue, operation)),
  ]
}

/** Open for a group: a device needs the authorities before it can verify anything. */
const authorityRoutes = (ctx: Context): Route[] => [
  route({
    method: 'GET',
    url: `${groupPrefix}/cacerts`,
    operationId: 'getEstAuthorities',
    summary: 'The certificate authorities of the tenant of a group',
    access: open(),
    params: GroupParams,
    response,
    produces: 'application/pkcs7-mime',
    handler: async ({ request, params }) => {
      requireTls(request, ctx)
      const tenantId = await getTenantOfGroup(ctx, params.enrollmentGroupId)
      return certificatesAnswer(await listTrustedAuthorities(ctx, tenantId))
    },
  }),
  route({
    method: 'GET',
    url: `${PREFIX}/cacerts`,
    operationId: 'getEstAuthoritiesOfDevice',
    summary: 'The certificate authorities of the tenant of the device',
    access: deviceEnrollment<EnrollingDevice>(),
    response,
    produces: 'application/pkcs7-mime',
    refuses: [403, 429],
    handler: async ({ caller }) => certificatesAnswer(await listTrustedAuthorities(ctx, caller.tenantId)),
  }),
]

const attributeRoutes = (ctx: Context): Route[] =>
  [PREFIX, groupPrefix].map((prefix) =>
    route({
      method: 'GET',
      url: `${prefix}/csrattrs`,
      operationId: prefix === PREFIX ? 'getEstAttributes' : 'getEstAttributesOfGroup',
      summary: 'Attributes that a certificate request should contain',
      access: open(),
      ...(prefix === groupPrefix && { params: GroupParams }),
      response,
      produces: 'application/csrattrs',
      handler: async ({ request }) => {
        requireTls(request, ctx)
        return csrAttributesAnswer()
      },
    }),
  )

const operations: { operation: Operation; path: string; operationId: string; summary: string }[] = [
  {
    operation: 'enroll',
    path: 'simpleenroll',
    operationId: 'enrollDevice',
    summary: 'Enrol: get a certificate for a key of the device',
  },
  {
    operation: 'renew',
    path: 'simplereenroll',
    operationId: 'renewCertificate',
    summary: 'Renew a certificate, which is the client certificate of the TLS connection',
  },
  {
    operation: 'generateKey',
    path: 'serverkeygen',
    operationId: 'enrollDeviceWithNewKey',
    summary: 'Enrol: get a certificate and a key that the server makes and does not keep',
  },
]

const enrollmentRoutes = (
  issue: IssueCertificate,
  { operation, path, operationId, summary }: (typeof operations)[number],
): Route[] =>
  [PREFIX, groupPrefix].map((prefix) =>
    route({
      method: 'POST',
      url: `${prefix}/${path}`,
      operationId: prefix === PREFIX ? operationId : `${operationId}OfGroup`,
      summary,
      access: deviceEnrollment<EnrollingDevice>(),
      ...(prefix === groupPrefix && { params: GroupParams }),
      // Every content type is read, so that a wrong one is in the trace of the device.
      rawBody: {
        as: 'buffer',
        contentType: '*',
        schema: Type.String({ description: 'PKCS #10, in base64' }),
      },
      bodyLimit: MAX_REQUEST_BYTES,
      secret: true,
      response,
      produces: operation === 'generateKey' ? 'multipart/mixed' : 'application/pkcs7-mime',
      refuses: [403, 429],
      handler: async ({ caller, request }) => {
        const { certificate, privateKey } = await enroll({ issue, device: caller, request, operation })
        return privateKey
          ? keyAndCertificateAnswer(privateKey, certificate)
          : certificatesAnswer([certificate], readsLines(request.headers))
      },
    }),
  )

/** The answer does not tell whether there is a group that issues no certificates. @throws not_found */
async function getTenantOfGroup({ db }: Context, id: string): Promise<string> {
  const [group] = isUuid(id.toLowerCase()) ? await findEnrollingGroups(db, [id]) : []
  if (!group?.settings?.enabled)
    throw new ApiError(
      'not_found',
      'There is no enrollment group of this id that issues certificates. Enable them in its certificate settings.',
    )
  return group.tenantId
}
