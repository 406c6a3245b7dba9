/**
 * Authenticates a device by Basic credentials: its id and a bootstrap key of its group, from either slot.
 *
 * Failures are limited per network and per device. That stops guessing, but not a boot storm of valid devices behind one
 * address: the failures of other devices never delay a valid request. [docs/onboarding#settings]
 */
import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { ApiError, unauthorized } from '../../http/errors.ts'
import { isDeviceId } from '../../http/page.ts'
import { clientNetwork } from '../../lib/client-network.ts'
import type { WarnOfDevice } from '../../lib/device-warnings.ts'
import type { Slot } from '../bootstrap-keys/slots.ts'
import { createFailureLimit } from '../failure-limit.ts'
import type { Enrollment, FindEnrollments } from './find-enrollments.ts'
import type { Group, GetGroup } from './group-cache.ts'
import { logRefusal } from './log-refusal.ts'

export const FAILURES_PER_DEVICE = 10
export const FAILURES_PER_NETWORK = 300

export interface AuthenticatedDevice {
  deviceId: string
  status: Enrollment['status']
  group: Group
  /** The slot of the bootstrap key that the device used. */
  slot: Slot
}

interface Parts {
  findEnrollments: FindEnrollments
  getGroup: GetGroup
  warnOfDevice: WarnOfDevice
}

export type AuthenticateDevice = (request: FastifyRequest) => Promise<AuthenticatedDevice>

/** The result throws unauthorized, with the same message for an unknown device and a wrong key, and rate_limited. */
export function createDeviceAuthentication({
  findEnrollments,
  getGroup,
  warnOfDevice,
}: Parts): AuthenticateDevice {
  const byDevice = createFailureLimit(FAILURES_PER_DEVICE)
  const byNetwork = createFailureLimit(FAILURES_PER_NETWORK)

  const identify = async (request: FastifyRequest, { deviceId, key }: Credentials) => {
    // The id is truncated, so that unauthenticated requests cannot fill the memory.
    const network = clientNetwork(request.ip)
    const device = `${network} ${deviceId.slice(0, 128)}`
    requireNoPause(byDevice.pauseSeconds(device))
    const enrollments = isDeviceId(deviceId) ? await findEnrollments(deviceId) : []
    const given = Buffer.from(key)
    for (const enrollment of enrollments) {
      const group = await getGroup(enrollment)
      const slot = findSlot(group, given)
      if (slot) return { deviceId, status: enrollment.status, group, slot }
    }
    byDevice.recordFailure(device)
    byNetwork.recordFailure(network)
    requireNoPause(byNetwork.pauseSeconds(network))
    throw unauthorized(
      'The device is unknown or its bootstrap key is wrong. Send `device_id:bootstrap_key` as Basic credentials.',
    )
  }

  return async (request) => {
    const credentials = readCredentials(request)
    try {
      return await identify(request, credentials)
    } catch (error) {
      logRefusal(warnOfDevice, { device: credentials.deviceId, remoteAddress: request.ip }, error)
      throw error
    }
  }
}

interface Credentials {
  deviceId: string
  key: string
}

function readCredentials(request: FastifyRequest): Credentials {
  const encoded = /^Basic ([A-Za-z0-9+/]+={0,2})$/i.exec(request.headers.authorization ?? '')?.[1]
  if (!encoded) throw unauthorized('Send `device_id:bootstrap_key` as Basic credentials.')
  const text = Buffer.from(encoded, 'base64').toString()
  // A device id cannot contain a colon, so the first colon ends it.
  const [deviceId = ''] = text.split(':', 1)
  return { deviceId, key: text.slice(deviceId.length + 1) }
}

function requireNoPause(pauseSeconds: number) {
  if (pauseSeconds > 0)
    throw new ApiError(
      'rate_limited',
      'Too many wrong bootstrap keys. Wait, then try again.',
      {},
      pauseSeconds,
    )
}

/** Always compares both slots, so that the duration does not reveal the matching slot. */
function findSlot({ bootstrapKeys }: Group, given: Buffer): Slot | undefined {
  const right = bootstrapKeys.filter(({ key }) => key.length === given.length && timingSafeEqual(key, given))
  return right[0]?.slot
}
