import Type from 'typebox'
import type { Context } from '../../../context.ts'
import { privilegeInRoot } from '../../../http/access.ts'
import { validationError } from '../../../http/errors.ts'
import { route, type Route } from '../../../http/route.ts'
import { Uuid } from '../../../http/shapes.ts'
import { readAuthorityCertificate } from '../read-authority-certificate.ts'
import { readOnePem } from '../read-pem.ts'
import { CertificateSettings, UpdateCertificateSettings } from './schema.ts'
import { getCertificateSettings, updateCertificateSettings } from './store.ts'

const access = privilegeInRoot('provider_client_management')
const params = Type.Object({ id: Uuid })
const url = '/api/enrollment-groups/{id}/certificates'

export const certificateSettingsRoutes = (ctx: Context): Route[] => {
  const update = (method: 'PUT' | 'PATCH') =>
    route({
      method,
      url,
      operationId: method === 'PUT' ? 'replaceCertificateSettings' : 'updateCertificateSettings',
      summary: 'Update the certificate settings of a group; absent fields keep their values',
      access,
      params,
      body: UpdateCertificateSettings,
      response: { 200: CertificateSettings },
      handler: ({ params: { id }, body, caller }) => {
        body.manufacturer_cas?.forEach(checkAuthority)
        return updateCertificateSettings(ctx.db, caller, id, body)
      },
    })
  return [
    route({
      method: 'GET',
      url,
      operationId: 'getCertificateSettings',
      summary: 'The certificate settings of a group',
      access,
      params,
      response: { 200: CertificateSettings },
      handler: ({ params: { id }, caller }) => getCertificateSettings(ctx.db, caller.tenantId, id),
    }),
    update('PUT'),
    update('PATCH'),
  ]
}

/** @throws validation_error with the place in the list */
function checkAuthority(pem: string, index: number) {
  try {
    readAuthorityCertificate(readOnePem(pem))
  } catch (error) {
    throw validationError({ path: `manufacturer_cas.${index}`, message: (error as Error).message })
  }
}
