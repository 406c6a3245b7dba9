/**
 * Limits wrong keys and certificates, per network and for each device from it. That stops guessing, but not a boot storm of
 * valid devices behind one address: the failures of other devices never delay a valid request. [docs/onboarding#settings]
 */
import { ApiError } from '../http/errors.ts'
import { clientNetwork } from '../lib/client-network.ts'
import { createFailureLimit } from './failure-limit.ts'

export const FAILURES_PER_DEVICE = 10
export const FAILURES_PER_NETWORK = 300

export interface SignInFailures {
  /** @throws rate_limited while the device has too many failures */
  requireFew(claim: Claim): void
  /** @throws rate_limited if the network has too many failures */
  record(claim: Claim): void
}

interface Claim {
  address: string
  /** The id of a device or the fingerprint of a certificate, before anything is proved. */
  name: string
}

export function createSignInFailures(): SignInFailures {
  const byDevice = createFailureLimit(FAILURES_PER_DEVICE)
  const byNetwork = createFailureLimit(FAILURES_PER_NETWORK)
  // The name is truncated and copied, so that unauthenticated requests cannot fill the memory: a part of a string keeps the whole.
  const deviceKey = ({ address, name }: Claim) =>
    Buffer.from(`${clientNetwork(address)} ${name.slice(0, 128)}`).toString()
  return {
    requireFew: (claim) => requireNoPause(byDevice.pauseSeconds(deviceKey(claim))),
    record(claim) {
      const network = clientNetwork(claim.address)
      byDevice.recordFailure(deviceKey(claim))
      byNetwork.recordFailure(network)
      requireNoPause(byNetwork.pauseSeconds(network))
    },
  }
}

function requireNoPause(pauseSeconds: number) {
  if (pauseSeconds > 0)
    throw new ApiError(
      'rate_limited',
      'Too many wrong keys or certificates. Wait, then try again.',
      {},
      pauseSeconds,
    )
}
