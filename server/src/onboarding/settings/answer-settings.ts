import type { Context } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'
import { requireEnabled } from '../enrollment-groups/require-enabled.ts'
import type { ProviderApiOf } from '../provider-api/of-target.ts'
import type { AuthenticatedDevice } from './authenticate-device.ts'
import { chooseBroker } from './choose-broker.ts'
import { createGroupSettings } from './group-settings.ts'
import { createSettingsRecorder } from './record-settings.ts'

const RETRY_AFTER_SECONDS = 30

/**
 * [GET /get_settings] From a device with the right key to its settings, as JSON text. The result throws enrollment_group_disabled,
 * device_not_provisioned, provider_rejected, provider_unavailable.
 */
export function createSettings(
  ctx: Context,
  providerOf: ProviderApiOf,
): (device: AuthenticatedDevice) => Promise<string> {
  const groupSettingsOf = createGroupSettings(ctx.db, providerOf)
  const recordSettings = createSettingsRecorder(ctx.pool)

  return async (device) => {
    const { deviceId } = device
    requireEnabled(device.groupStatus)
    requireProvisioned(device)
    const { render, brokers, brokerSelection, provider } = await groupSettingsOf(device)
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
  const message = `The device ${deviceId} is registered, but not provisioned yet. Try again once it is.`
  throw new ApiError('device_not_provisioned', message, {}, RETRY_AFTER_SECONDS)
}
