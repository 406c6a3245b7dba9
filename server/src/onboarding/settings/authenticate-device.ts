/**
 * Authenticates a device by Basic credentials: its id and a bootstrap key of its group, from either slot, or the key
 * that is derived from it for the device. [docs/onboarding#derived-keys]
 */
import type { FastifyRequest } from 'fastify'
import { unauthorized } from '../../http/errors.ts'
import { isDeviceId } from '../../http/page.ts'
import type { WarnOfDevice } from '../../lib/device-warnings.ts'
import { type KeyKind, matchKey } from '../bootstrap-keys/match-key.ts'
import type { Slot } from '../bootstrap-keys/slots.ts'
import type { SignInFailures } from '../sign-in-failures.ts'
import type { AttemptKind } from '../trace/attempt.ts'
import type { Attempts } from '../trace/attempts.ts'
import { endWithError } from '../trace/end-with-error.ts'
import { type AttemptTrail, startAttempt } from '../trace/start-attempt.ts'
import type { StepCode } from '../trace/step-codes.ts'
import type { Enrollment, FindEnrollments } from './find-enrollments.ts'
import type { Group, GetGroup } from './group-cache.ts'
import { logRefusal } from './log-refusal.ts'

export interface AuthenticatedDevice {
  tenantId: string
  deviceId: string
  status: Enrollment['status']
  registeredAt: Enrollment['registeredAt']
  group: Group
  /** The bootstrap key that the device used, or from which its key is derived, and the slot of it. */
  keyId: string
  slot: Slot
  keyKind: KeyKind
  /** The attempt that this sign-in is a part of; what follows ends it. */
  trail: AttemptTrail
}

interface Parts {
  attempts: Pick<Attempts, 'record'>
  failures: SignInFailures
  findEnrollments: FindEnrollments
  getGroup: GetGroup
  warnOfDevice: WarnOfDevice
}

/** @param kind of the attempt that is recorded */
export type AuthenticateDevice = (request: FastifyRequest, kind: AttemptKind) => Promise<AuthenticatedDevice>

/**
 * The result throws unauthorized, with the same message for an unknown device, a wrong key and a bootstrap key that the
 * group's policy refuses, and rate_limited.
 */
export function createDeviceAuthentication({
  attempts,
  failures,
  findEnrollments,
  getGroup,
  warnOfDevice,
}: Parts): AuthenticateDevice {
  const identify = async (request: FastifyRequest, { deviceId, key }: Credentials, trail: AttemptTrail) => {
    const claim = { address: request.ip, name: deviceId }
    failures.requireFew(claim)
    const enrollments = isDeviceId(deviceId) ? await findEnrollments(deviceId) : []
    const given = Buffer.from(key)
    let refused: StepCode = enrollments.length === 0 ? 'device_unknown' : 'bootstrap_key_wrong'
    if (enrollments.length > 0) trail.step('device_found')
    for (const enrollment of enrollments) {
      const group = await getGroup(enrollment)
      const match = matchKey(group, deviceId, given)
      if (match) trail.assign(enrollment)
      if (match?.allowed) {
        trail.step(match.kind === 'derived' ? 'derived_key_accepted' : 'bootstrap_key_accepted')
        const { id: keyId, slot } = match.key
        const { tenantId, status, registeredAt } = enrollment
        return { tenantId, deviceId, status, registeredAt, group, keyId, slot, keyKind: match.kind, trail }
      }
      if (match) refused = 'bootstrap_key_not_allowed'
    }
    if (refused === 'bootstrap_key_wrong') assignOnly(trail, enrollments)
    trail.step(refused)
    failures.record(claim)
    throw unauthorized(
      'The device is unknown or its bootstrap key is wrong. Send `device_id:bootstrap_key` as Basic credentials.',
    )
  }

  return async (request, kind) => {
    const credentials = readCredentials(request)
    const { deviceId } = credentials
    const trail = startAttempt(attempts, { kind, deviceId, address: request.ip })
    try {
      return await identify(request, credentials, trail)
    } catch (error) {
      endWithError(trail, error)
      const from = { device: deviceId, remoteAddress: request.ip, reqId: request.id }
      logRefusal(warnOfDevice, from, error)
      throw error
    }
  }
}

/**
 * With a wrong key nothing proves whose device this is. Its tenant sees the attempt only if no other tenant has the id.
 * [docs/onboarding#decision-trace]
 */
function assignOnly(trail: AttemptTrail, enrollments: Enrollment[]) {
  const [first, ...others] = enrollments
  if (!first || others.some(({ tenantId }) => tenantId !== first.tenantId)) return
  trail.assignUnproven({ tenantId: first.tenantId, groupId: others.length === 0 ? first.groupId : undefined })
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
