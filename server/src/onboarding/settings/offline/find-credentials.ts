/**
 * Finds the keys that the settings of a device contain: those of the provider, or, for a group with offline settings, the
 * last known ones while the provider is unavailable. [docs/onboarding#offline-settings]
 */
import type { Context } from '../../../context.ts'
import { createBoundedCache } from '../../../lib/bounded-cache.ts'
import type { Credentials } from '../../provider-api/provider-api.ts'
import { isNoSuchClient, isOutage, providerPaused } from '../../provider-api/provider-errors.ts'
import type { AuthenticatedDevice } from '../authenticate-device.ts'
import { type Circuit, createCircuit } from './circuit.ts'
import { createCredentialsKeeper, type KeepCredentials } from './keep-credentials.ts'
import type { StepCode } from '../../trace/step-codes.ts'
import { createCredentialsFinder, type DevicePlace, type StoredCredentials } from './store.ts'

/** A device with stored keys does not wait longer for the provider. */
export const PROVIDER_BUDGET_MS = 2000
const MAX_CIRCUITS = 1000

export interface FoundCredentials extends Credentials {
  /** The age of stored keys; absent for those of the provider. */
  staleSeconds?: number
}

export type FindCredentials = (device: AuthenticatedDevice) => Promise<FoundCredentials>

interface OfflineParts {
  keep: KeepCredentials
  findStored: (device: DevicePlace) => Promise<StoredCredentials | undefined>
  getCircuit: (provider: string) => Circuit
}

/** The result throws provider_unavailable, provider_rejected. */
export function createCredentialsReader(ctx: Pick<Context, 'pool' | 'sealer' | 'log'>): FindCredentials {
  const circuits = createBoundedCache<string, Circuit>(MAX_CIRCUITS)
  const parts: OfflineParts = {
    keep: createCredentialsKeeper(ctx),
    findStored: createCredentialsFinder(ctx),
    getCircuit(provider) {
      const circuit = circuits.get(provider) ?? createCircuit()
      circuits.set(provider, circuit)
      return circuit
    },
  }
  return async (device) => {
    if (device.group.offline) return findWithin(parts, device, device.group.offline)
    const credentials = await device.group.provider.credentials(device.deviceId)
    device.trail.step('credentials_received')
    return credentials
  }
}

type Offline = NonNullable<AuthenticatedDevice['group']['offline']>

async function findWithin(
  parts: OfflineParts,
  device: AuthenticatedDevice,
  offline: Offline,
): Promise<FoundCredentials> {
  const useStored = createStoredReader(parts, device, offline)
  const circuit = parts.getCircuit(offline.provider)
  const next = circuit.next()
  // While the provider is paused, a device with stored keys does not wait, not even for the trial.
  const stored = next === 'ask' ? undefined : await useStored('provider_paused')
  if (next === 'pause') {
    if (stored) return stored
    // A provider that is merely slow is the only source for a device without stored keys.
    if (circuit.isAway()) throw providerPaused()
  }
  const asked = ask(parts, device, offline)
  // The device may be answered before the provider fails.
  asked.catch(() => {})
  const early = next === 'ask' ? await waitWithinBudget(asked, useStored) : stored
  if (early && 'staleSeconds' in early) return early
  const credentials = early ?? (await asked)
  device.trail.step('credentials_received')
  return credentials
}

/** Asks the provider, and keeps what it answers even if the device is answered earlier. */
async function ask(
  { keep, getCircuit }: OfflineParts,
  { deviceId, group, tenantId, registeredAt }: AuthenticatedDevice,
  { provider, maxAgeSeconds }: Offline,
): Promise<Credentials> {
  const circuit = getCircuit(provider)
  const place = { tenantId, groupId: group.id, deviceId, registeredAt, provider, maxAgeSeconds }
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    circuit.recordLateness()
  }, PROVIDER_BUDGET_MS)
  try {
    const credentials = await group.provider.credentials(deviceId)
    if (isLate) circuit.recordLateAnswer()
    else circuit.recordAnswer()
    keep({ ...place, credentials, receivedAt: new Date() })
    return credentials
  } catch (error) {
    if (isNoSuchClient(error)) keep({ ...place, credentials: undefined, receivedAt: new Date() })
    if (isOutage(error)) {
      circuit.recordFailure()
    } else if (!isLate) circuit.recordAnswer()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

type UseStored = (why: StepCode, message?: string) => Promise<FoundCredentials | undefined>

/** @returns undefined once the budget is over and the device has no stored keys */
async function waitWithinBudget(
  asked: Promise<Credentials>,
  useStored: UseStored,
): Promise<FoundCredentials | undefined> {
  try {
    return (await withinBudget(asked)) ?? (await useStored('provider_slow'))
  } catch (error) {
    if (!isOutage(error)) throw error
    const stored = await useStored('provider_unavailable', (error as Error).message)
    if (stored) return stored
    throw error
  }
}

const withinBudget = <T>(answer: Promise<T>): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, PROVIDER_BUDGET_MS, undefined)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })

/** The result finds the stored keys and adds the steps, with the reason why they are needed. */
function createStoredReader(
  { findStored }: OfflineParts,
  { trail, tenantId, group, deviceId }: AuthenticatedDevice,
  { provider, maxAgeSeconds }: Offline,
): UseStored {
  return async (why, message) => {
    const stored = await findStored({ tenantId, groupId: group.id, deviceId, provider })
    if (!stored || stored.ageSeconds > maxAgeSeconds) {
      trail.step(stored ? 'stored_credentials_expired' : 'stored_credentials_missing')
      return undefined
    }
    trail.step(why, message)
    trail.step('stored_credentials_used')
    const { ageSeconds, ...credentials } = stored
    return { ...credentials, staleSeconds: Math.round(ageSeconds) }
  }
}
