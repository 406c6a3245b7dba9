/** Enrols a device that has proved its identity: checks its request, and issues a certificate or repeats the last answer. */
import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../../http/errors.ts'
import type { Issued } from '../issue/issue-certificates.ts'
import { OrderRefusal } from '../issue/decide-order.ts'
import type { IssueCertificate } from '../issue/issuer.ts'
import { checkRequest } from '../request/check-request.ts'
import { type CertificateRequest, readCertificateRequest } from '../request/read-request.ts'
import { decodeRequestBody } from './decode-body.ts'
import { type EnrollingDevice, refuse } from './enrolling-device.ts'

const generate = promisify(generateKeyPair)

/** `renew` is simplereenroll. */
export type Operation = 'enroll' | 'renew' | 'generateKey'

interface Enrollment {
  issue: IssueCertificate
  device: EnrollingDevice
  request: FastifyRequest
  operation: Operation
}

interface Enrolled extends Issued {
  /** PKCS #8; only where the server made the key. */
  privateKey?: Buffer
}

/** @throws ApiError; the attempt of the device has ended either way */
export async function enroll(enrollment: Enrollment): Promise<Enrolled> {
  const { device } = enrollment
  try {
    requireOperation(enrollment)
    const request = await readRequest(enrollment)
    const enrolled = await order(enrollment, request)
    device.trail.end('succeeded', enrolled.isRepeat ? 'certificate_repeated' : 'certificate_issued')
    return enrolled
  } catch (error) {
    endWithRefusal(device, error)
    throw error
  }
}

function requireOperation({ device: { presentedId, isExpired, trail }, operation }: Enrollment) {
  if (operation === 'renew' && presentedId === null)
    throw refuse(trail, {
      code: 'forbidden',
      step: 'certificate_required',
      message:
        'Renewal needs the present certificate of the device as TLS client certificate. Use simpleenroll with other credentials.',
    })
  if (operation !== 'renew' && isExpired)
    throw refuse(trail, {
      code: 'forbidden',
      step: 'certificate_expired_may_renew',
      message: 'The client certificate has expired, and may only renew. Use simplereenroll.',
    })
}

async function readRequest({ device, request }: Enrollment): Promise<CertificateRequest> {
  const body = decodeRequestBody(request.body, request.headers['content-type'])
  const read = await readCertificateRequest(body)
  checkRequest(read, device.deviceId)
  return read
}

async function order(
  { issue, device, operation }: Enrollment,
  request: CertificateRequest,
): Promise<Enrolled> {
  const { settings, tenantId, groupId, deviceId, tier, keyId, presentedId } = device
  const validityDays = settings.validity_days
  const ordered = { tenantId, groupId, deviceId, tier, keyId, presentedId, validityDays }
  if (operation !== 'generateKey')
    return issue({ ...ordered, publicKey: request.publicKey, requestFingerprint: request.fingerprint })
  const { publicKey, privateKey } = await generate('ec', { namedCurve: 'P-256' })
  const issued = await issue({
    ...ordered,
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
    // The private key is not kept, so that the answer cannot be repeated.
    requestFingerprint: null,
  })
  return { ...issued, privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }) }
}

function endWithRefusal({ trail }: EnrollingDevice, error: unknown) {
  if (error instanceof OrderRefusal) trail.end('refused', error.step, error.message)
  else if (error instanceof ApiError && error.status < 500)
    trail.end('refused', 'request_refused', error.message)
  else trail.end('failed', 'server_unavailable')
}
