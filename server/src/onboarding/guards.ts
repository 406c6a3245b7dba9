/** Implements `bootstrapKey()`, `deviceEnrollment()` and `webhookSignature()` of `http/access.ts`. */
import type { Context } from '../context.ts'
import type { Guards } from '../http/access.ts'
import { createEnrollmentIdentification } from './certificates/est/identify-device.ts'
import { createTrustReader } from './certificates/manufacturer/read-trusted.ts'
import { createSecretOpener } from './open-secrets.ts'
import { createProviderApis } from './provider-api/create-provider-apis.ts'
import { createSignatureVerification } from './provider-events/verify-signature.ts'
import { createDeviceAuthentication } from './settings/authenticate-device.ts'
import { createEnrollmentFinder } from './settings/find-enrollments.ts'
import { createGroupCache } from './settings/group-cache.ts'
import { createSignInFailures } from './sign-in-failures.ts'

type OnboardingGuards = Pick<Guards, 'bootstrapKey' | 'deviceEnrollment' | 'webhookSignature'>

/** `bootstrapKey` yields an `AuthenticatedDevice`, `deviceEnrollment` an `EnrollingDevice`, `webhookSignature` the `SigningTarget`s. */
export function createOnboardingGuards(ctx: Context): OnboardingGuards {
  const openSecret = createSecretOpener(ctx.sealer)
  const getGroup = createGroupCache(ctx, createProviderApis(ctx, openSecret))
  const findEnrollments = createEnrollmentFinder(ctx.pool)
  const failures = createSignInFailures()
  const authenticateDevice = createDeviceAuthentication({
    attempts: ctx.attempts,
    failures,
    findEnrollments,
    getGroup,
    warnOfDevice: ctx.warnOfDevice,
  })
  const identifyDevice = createEnrollmentIdentification({
    db: ctx.db,
    attempts: ctx.attempts,
    failures,
    findEnrollments,
    readTrusted: createTrustReader(),
    authenticateDevice,
    addresses: ctx,
  })
  const verifySignature = createSignatureVerification(ctx.db, openSecret)
  return {
    bootstrapKey: (_access, request) => authenticateDevice(request, 'settings'),
    deviceEnrollment: (_access, request) => identifyDevice(request),
    webhookSignature: (_access, request) => verifySignature(request),
  }
}
