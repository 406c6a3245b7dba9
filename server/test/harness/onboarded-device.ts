/** Onboards a device from its id to its MQTT credentials, over the public API only. */
import type { Api } from './platform.ts'

export interface OnboardedDevice {
  deviceId: string
  host: string
  port: number
  primaryKey: string
  secondaryKey: string
}

export const template = {
  device_id: '{{device.id}}',
  mqtt: {
    host: '{{target.host}}',
    port: '{{target.port}}',
    password: '{{device.primary_key}}',
    next_password: '{{device.secondary_key}}',
  },
}

/** Creates what an administrator prepares once: API token, routing target, enrollment group, bootstrap key. */
export async function prepareOnboarding(api: Api, token: string, baseUrl: string, mqttPort: number) {
  const call = async (path: string, body: unknown) => {
    const answer = await api('POST', path, body, { token })
    if (answer.status !== 201 && answer.status !== 200)
      throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const apiToken = await call('/v1/api-tokens', {
    displayName: 'onboarding',
    privileges: ['provider_client_management'],
  })
  const target = await call('/api/routing-targets', {
    name: 'default',
    brokers: [{ host: '127.0.0.1', port: mqttPort }],
    provider_base_url: `${baseUrl}/v1/providers/mqtt`,
    provider_api_key: apiToken.token,
    webhook_secret: 'a webhook secret',
  })
  const group = await call('/api/enrollment-groups', {
    name: 'pumps',
    auth_method: 'shared_key',
    routing_target_id: target.id,
    status: 'enabled',
    response_template: template,
  })
  const keys = await call(`/api/enrollment-groups/${group.id}/keys/generate`, undefined)
  return {
    targetId: target.id as string,
    groupId: group.id as string,
    bootstrapKey: keys.primary_key as string,
    onboard: async (deviceId: string): Promise<OnboardedDevice> => {
      await call(`/api/enrollment-groups/${group.id}/devices`, { device_id: deviceId })
      await call('/provision_device', { device_id: deviceId, enrollment_group_id: group.id })
      return fetchSettings(api, deviceId, keys.primary_key)
    },
  }
}

export async function fetchSettings(
  api: Api,
  deviceId: string,
  bootstrapKey: string,
): Promise<OnboardedDevice> {
  const authorization = `Basic ${Buffer.from(`${deviceId}:${bootstrapKey}`).toString('base64')}`
  const { status, body } = await api('GET', '/get_settings', undefined, {
    token: null,
    headers: { authorization },
  })
  if (status !== 200) throw new Error(`settings answered ${status}: ${JSON.stringify(body)}`)
  const { device_id: id, mqtt } = body
  return {
    deviceId: id,
    host: mqtt.host,
    port: mqtt.port,
    primaryKey: mqtt.password,
    secondaryKey: mqtt.next_password,
  }
}
