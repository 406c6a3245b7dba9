import type { Context } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'
import { requireEnabled } from '../enrollment-groups/require-enabled.ts'
import type { AuthenticatedDevice } from './authenticate-device.ts'
import { chooseBroker } from './choose-broker.ts'
import { createCredentialsReader } from './offline/find-credentials.ts'

const RETRY_AFTER_SECONDS = 30

interface Settings {
  /** JSON. */
  text: string
  /** The age of the device's keys, where they are the last known ones. */
  staleSeconds: number | undefined
}

/**
 * Returns a function that renders the settings of an authenticated device as JSON text. It throws
 * enrollment_group_disabled, device_not_provisioned, provider_rejected, provider_unavailable. [docs/onboarding#settings]
 */
export function createSettingsRenderer(
  ctx: Pick<Context, 'settingsRecorder' | 'pool' | 'sealer' | 'log'>,
): (device: AuthenticatedDevice) => Promise<Settings> {
  const findCredentials = createCredentialsReader(ctx)
  return async (device) => {
    const { deviceId, group, keyId, keyKind, trail } = device
    const { render, brokers, brokerSelection } = group
    requireEnabled(group.status)
    trail.step('group_enabled')
    requireProvisioned(device)
    trail.step('device_provisioned')
    const credentials = await findCredentials(device)
    const broker = chooseBroker(brokers, brokerSelection, deviceId)
    const text = render({
      'device.id': deviceId,
      'device.primary_key': credentials.primaryKey,
      'device.secondary_key': credentials.secondaryKey,
      'target.host': broker.host,
      'target.port': broker.port,
    })
    ctx.settingsRecorder.record({ groupId: group.id, deviceId, keyId, keyKind, atMs: performance.now() })
    return { text, staleSeconds: credentials.staleSeconds }
  }
}

function requireProvisioned({ deviceId, status }: AuthenticatedDevice) {
  if (status === 'provisioned') return
  const message = `The device ${deviceId} is registered but not provisioned yet. Try again once it is.`
  throw new ApiError('device_not_provisioned', message, {}, RETRY_AFTER_SECONDS)
}
