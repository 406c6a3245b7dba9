/** The fleet: each pump is registered, provisioned, fetches its settings with its own key and connects. */
import { connect, type Device, onboard } from '@gangway/device'
import type { Platform } from './platform.ts'
import type { Onboarding } from './prepare-onboarding.ts'
import { createPump } from './pump.ts'

const AT_ONCE = 10

export interface Fleet extends AsyncDisposable {
  devices: Device[]
  /** Messages that the broker has acknowledged. */
  acknowledged(): number
}

export const deviceIds = (count: number) =>
  Array.from({ length: count }, (_, index) => `demo-pump-${String(index + 1).padStart(3, '0')}`)

/** @param onProgress called after each pump that is connected */
export async function bringUpFleet(
  platform: Platform,
  onboarding: Onboarding,
  options: { devices: number; intervalSeconds: number; onProgress: (done: number) => void },
): Promise<Fleet> {
  const waiting = await deriveKeys(platform, onboarding, deviceIds(options.devices))
  const devices: Device[] = []
  const counter = { acknowledged: 0 }
  const stopStreams: (() => void)[] = []
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const device = await bringUp(platform, onboarding, { ...options, ...next })
      stopStreams.push(stream(device, next.index, options.intervalSeconds, counter))
      devices.push(device)
      options.onProgress(devices.length)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  return {
    devices,
    acknowledged: () => counter.acknowledged,
    [Symbol.asyncDispose]: async () => {
      stopStreams.forEach((stop) => stop())
      await Promise.all(devices.map((device) => device.close()))
    },
  }
}

/** As a factory does: a pump gets its own key, and not the bootstrap key of the group. */
async function deriveKeys({ call }: Platform, { groupId }: Onboarding, ids: string[]) {
  const { items } = await call<{ items: { device_id: string; primary_key: string }[] }>(
    'POST',
    `/api/enrollment-groups/${groupId}/keys/derive`,
    { device_ids: ids },
  )
  return items.map(({ device_id: deviceId, primary_key: key }, index) => ({ deviceId, key, index }))
}

async function bringUp(
  platform: Platform,
  { groupId }: Onboarding,
  { deviceId, key, intervalSeconds }: { deviceId: string; key: string; intervalSeconds: number },
) {
  await platform.call('POST', `/api/enrollment-groups/${groupId}/devices`, { device_id: deviceId })
  await platform.call('POST', '/provision_device', { device_id: deviceId, enrollment_group_id: groupId })
  const settings = await onboard({ onboardingUrl: platform.url, deviceId, key })
  const device = connect({
    host: String(settings.host),
    port: Number(settings.port),
    deviceId,
    primaryKey: String(settings.primary),
    secondaryKey: String(settings.secondary),
  })
  device.on('error', (error) => console.error(`${deviceId}: ${error.message}`))
  device.onMethod('identify', () => ({ payload: { deviceId, blinking: true } }))
  await device.reportProperties({ firmware: '1.0.0', intervalSeconds })
  return device
}

function stream(device: Device, index: number, intervalSeconds: number, counter: { acknowledged: number }) {
  const pump = createPump(index)
  const startedMs = Date.now()
  const send = () => {
    const signals = pump.measure((Date.now() - startedMs) / 1000, intervalSeconds)
    device.sendTelemetry(signals).then(
      () => counter.acknowledged++,
      () => {}, // the device reports what it dropped
    )
  }
  send()
  const timer = setInterval(send, intervalSeconds * 1000)
  return () => clearInterval(timer)
}
