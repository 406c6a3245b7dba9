/** An enrollment group whose devices obtain certificates, made over the public API. */
import { prepareOnboarding } from '../../harness/onboarded-device.ts'
import type { Api } from '../../harness/platform.ts'

export interface CertificateGroup {
  groupId: string
  estUrl: string
  bootstrapKey: string
  /** Registers a device. */
  addDevice(deviceId: string): Promise<void>
  /** Registers a device and creates its client, so that it can connect. */
  onboard(deviceId: string): Promise<void>
  change(settings: CertificateSettings): Promise<void>
}

export interface CertificateSettings {
  minimum_tier?: 1 | 2 | 3
  manufacturer_cas?: string[]
  validity_days?: number
}

export interface Addresses {
  http: string
  https: string
  mqttPort: number
}

export async function makeCertificateGroup(
  api: Api,
  token: string,
  { http, https, mqttPort }: Addresses,
): Promise<CertificateGroup> {
  const { groupId, bootstrapKey, onboard } = await prepareOnboarding(api, token, http, mqttPort)
  const path = `/api/enrollment-groups/${groupId}`
  const call = async (method: string, suffix: string, body: unknown) => {
    const answer = await api(method, path + suffix, body, { token })
    if (answer.status >= 300)
      throw new Error(`${method} ${suffix} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  }
  const defaults = { enabled: true, minimum_tier: 1, manufacturer_cas: [], validity_days: 90 }
  const group: CertificateGroup = {
    groupId,
    estUrl: `${https}/.well-known/est/${groupId}`,
    bootstrapKey,
    addDevice: (deviceId) => call('POST', '/devices', { device_id: deviceId }),
    onboard: async (deviceId) => void (await onboard(deviceId)),
    change: (settings) => call('PUT', '/certificates', { ...defaults, ...settings }),
  }
  await group.change({})
  return group
}
