/** Implements `bootstrapKey()` and `webhookSignature()` of `http/access.ts`. */
import type { Context } from '../context.ts'
import type { Guards } from '../http/access.ts'
import { createSecretOpener } from './open-secrets.ts'
import { createProviderApis } from './provider-api/create-provider-apis.ts'
import { createSignatureVerification } from './provider-events/verify-signature.ts'
import { createDeviceAuthentication } from './settings/authenticate-device.ts'
import { createEnrollmentFinder } from './settings/find-enrollments.ts'
import { createGroupCache } from './settings/group-cache.ts'

/** `bootstrapKey` yields an `AuthenticatedDevice`, `webhookSignature` the `SigningTarget`s. */
export function createOnboardingGuards(ctx: Context): Pick<Guards, 'bootstrapKey' | 'webhookSignature'> {
  const openSecret = createSecretOpener(ctx.sealer)
  const getGroup = createGroupCache(ctx, createProviderApis(ctx, openSecret))
  const authenticateDevice = createDeviceAuthentication({
    findEnrollments: createEnrollmentFinder(ctx.pool),
    getGroup: getGroup,
    warnOfDevice: ctx.warnOfDevice,
  })
  const verifySignature = createSignatureVerification(ctx.db, openSecret)
  return {
    bootstrapKey: (_access, request) => authenticateDevice(request),
    webhookSignature: (_access, request) => verifySignature(request),
  }
}
