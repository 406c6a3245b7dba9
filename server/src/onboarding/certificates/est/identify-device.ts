/** Says which device wants to enrol, from its authentication alone: a client certificate, or Basic credentials. */
import type { FastifyRequest } from 'fastify'
import { ApiError, unauthorized } from '../../../http/errors.ts'
import { isUuid } from '../../../http/page.ts'
import type { AuthenticateDevice } from '../../settings/authenticate-device.ts'
import type { EnrollingDevice } from './enrolling-device.ts'
import { createGroupFinder } from './find-group.ts'
import { type CertificateParts, identifyByCertificate } from './identify-by-certificate.ts'
import { readPeerCertificate } from './peer-certificate.ts'
import { requireEnrollment } from './require-enrollment.ts'
import { requireTls, type Addresses } from './require-tls.ts'

interface Parts extends Omit<CertificateParts, 'findGroup'> {
  authenticateDevice: AuthenticateDevice
  addresses: Addresses
}

/** The result throws unauthorized, forbidden, enrollment_group_disabled and rate_limited. */
export function createEnrollmentIdentification(given: Parts) {
  const parts = { ...given, findGroup: createGroupFinder(given.db) }
  return async (request: FastifyRequest): Promise<EnrollingDevice> => {
    const socket = requireTls(request, parts.addresses)
    const groupId = readGroupId(request)
    const peer = readPeerCertificate(socket)
    const hasCredentials = request.headers.authorization !== undefined
    if (peer)
      try {
        return await identifyByCertificate(parts, { peer, groupId, address: request.ip })
      } catch (error) {
        // A client may have one certificate for everything; then its credentials decide.
        if (!hasCredentials || !(error instanceof ApiError) || error.status >= 500) throw error
      }
    if (!hasCredentials)
      throw unauthorized(
        'Send `device_id:bootstrap_key` as Basic credentials, or a client certificate with the TLS connection.',
      )
    return identifyByKey(parts, request, groupId)
  }
}

/** The path may name the group. An id that is no UUID belongs to no group. */
function readGroupId({ params }: FastifyRequest): string | undefined {
  const { enrollmentGroupId: id } = params as { enrollmentGroupId?: string }
  if (id === undefined) return undefined
  const canonical = id.toLowerCase()
  if (!isUuid(canonical))
    throw new ApiError('not_found', 'There is no enrollment group with the id of the path.')
  return canonical
}

async function identifyByKey(
  { findGroup, authenticateDevice }: Parts & Pick<CertificateParts, 'findGroup'>,
  request: FastifyRequest,
  pathGroupId: string | undefined,
): Promise<EnrollingDevice> {
  const { deviceId, group: used, keyId, keyKind, trail } = await authenticateDevice(request, 'certificate')
  const group = await findGroup(used.id)
  if (!group) throw unauthorized()
  const tier = keyKind === 'derived' ? 2 : 1
  const settings = requireEnrollment(trail, group, { pathGroupId, tier })
  const { id: groupId, tenantId } = group
  const identity = { deviceId, tenantId, groupId, tier, keyId, presentedId: null } as const
  return { ...identity, settings, isExpired: false, trail }
}
