import type { Context } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'
import { requireEnabled } from '../enrollment-groups/require-enabled.ts'
import type { AuthenticatedDevice } from './authenticate-device.ts'
import { chooseBroker } from './choose-broker.ts'
import { createSettingsRecorder } from './record-settings.ts'

const RETRY_AFTER_SECONDS = 30

/**
 * Returns a function that renders the settings of an authenticated device as JSON text. It throws
 * enrollment_group_disabled, device_not_provisioned, provider_rejected, provider_unavailable. [docs/onboarding#settings]
 */
export function createSettingsRenderer({ pool }: Context): (device: AuthenticatedDevice) => Promise<string> {
  const recordSettings = createSettingsRecorder(pool)

  return async (device) => {
    const { deviceId, group } = device
    const { render, brokers, brokerSelection, provider } = group
    requireEnabled(group.status)
    requireProvisioned(device)
    const credentials = await provider.credentials(deviceId)
    const broker = chooseBroker(brokers, brokerSelection, deviceId)
    const settings = render({
      'device.id': deviceId,
      'device.primary_key': credentials.primaryKey,
      'device.secondary_key': credentials.secondaryKey,
      'target.host': broker.host,
      'target.port': broker.port,
    })
    await recordSettings(device)
    return settings
  }
}

function requireProvisioned({ deviceId, status }: AuthenticatedDevice) {
  if (status === 'provisioned') return
  const message = `The device ${deviceId} is registered but not provisioned yet. Try again once it is.`
  throw new ApiError('device_not_provisioned', message, {}, RETRY_AFTER_SECONDS)
}
