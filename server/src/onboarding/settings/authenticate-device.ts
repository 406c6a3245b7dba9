/**
 * Who a device is, by Basic credentials: its id and its group's bootstrap key, in either slot. [docs/onboarding#settings]
 *
 * Wrong keys are limited by network and device, so that guessing ends soon while a boot storm of real devices behind one
 * address passes: a success is never held up by the failures of others. [docs/onboarding#settings]
 */
import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { ApiError, unauthorized } from '../../http/errors.ts'
import { isDeviceId } from '../../http/page.ts'
import { networkOf } from '../../lib/client-network.ts'
import type { WarnOfDevice } from '../../lib/device-warnings.ts'
import type { Slot } from '../bootstrap-keys/slots.ts'
import { createFailureLimit } from '../failure-limit.ts'
import type { Enrollment, FindEnrollments } from './find-enrollments.ts'
import type { Group, GroupOf } from './groups.ts'
import { warnOfRefusal } from './warn-of-refusal.ts'

const FAILURES_PER_DEVICE = 10
const FAILURES_PER_NETWORK = 300

/** What a device with the right key is known by. */
export interface AuthenticatedDevice {
  deviceId: string
  status: Enrollment['status']
  group: Group
  /** Where the key stands that it used. */
  slot: Slot
}

interface Parts {
  findEnrollments: FindEnrollments
  groupOf: GroupOf
  warnOfDevice: WarnOfDevice
}

export type AuthenticateDevice = (request: FastifyRequest) => Promise<AuthenticatedDevice>

/** The result throws unauthorized, the same for an unknown device and a wrong key; rate_limited after too many of them. */
export function createDeviceAuthentication({
  findEnrollments,
  groupOf,
  warnOfDevice,
}: Parts): AuthenticateDevice {
  const byDevice = createFailureLimit(FAILURES_PER_DEVICE)
  const byNetwork = createFailureLimit(FAILURES_PER_NETWORK)

  const identify = async (request: FastifyRequest, { deviceId, key }: Credentials) => {
    // Cut, so that what strangers send fills no memory.
    const network = networkOf(request.ip)
    const device = `${network} ${deviceId.slice(0, 128)}`
    refuseDuring(byDevice.pauseSeconds(device))
    const enrollments = isDeviceId(deviceId) ? await findEnrollments(deviceId) : []
    const given = Buffer.from(key)
    for (const enrollment of enrollments) {
      const group = await groupOf(enrollment)
      const slot = slotOf(group, given)
      if (slot) return { deviceId, status: enrollment.status, group, slot }
    }
    byDevice.note(device)
    byNetwork.note(network)
    refuseDuring(byNetwork.pauseSeconds(network))
    throw unauthorized(
      'The device is unknown or its bootstrap key is wrong. Send `device_id:bootstrap_key` as Basic credentials.',
    )
  }

  return async (request) => {
    const credentials = credentialsOf(request)
    try {
      return await identify(request, credentials)
    } catch (error) {
      warnOfRefusal(warnOfDevice, { device: credentials.deviceId, remoteAddress: request.ip }, error)
      throw error
    }
  }
}

interface Credentials {
  deviceId: string
  key: string
}

function credentialsOf(request: FastifyRequest): Credentials {
  const encoded = /^Basic ([A-Za-z0-9+/]+={0,2})$/i.exec(request.headers.authorization ?? '')?.[1]
  if (!encoded) throw unauthorized('Send `device_id:bootstrap_key` as Basic credentials.')
  const text = Buffer.from(encoded, 'base64').toString()
  // A device id holds no colon, so the first one ends it.
  const [deviceId = ''] = text.split(':', 1)
  return { deviceId, key: text.slice(deviceId.length + 1) }
}

function refuseDuring(pauseSeconds: number) {
  if (pauseSeconds > 0)
    throw new ApiError(
      'rate_limited',
      'Too many wrong bootstrap keys. Wait, then try again.',
      {},
      pauseSeconds,
    )
}

/** Both slots are always compared, so that the time does not tell which one came close. */
function slotOf({ bootstrapKeys }: Group, given: Buffer): Slot | undefined {
  const right = bootstrapKeys.filter(({ key }) => key.length === given.length && timingSafeEqual(key, given))
  return right[0]?.slot
}
