/** Creates a routing target, an enrollment group and a bootstrap key, with any fields. */
import { template } from './onboarded-device.ts'
import type { Platform, TestAnswer } from './platform.ts'

export interface GroupOptions {
  /** Token of the tenant's administrator. */
  token?: string
  /** Fields of the routing target; without them it leads to this platform's own provider `mqtt`. */
  target?: object
  group?: object
}

export interface TestGroup {
  targetId: string
  groupId: string
  bootstrapKey: string
  add(deviceId: string): Promise<TestAnswer>
  provision(deviceId: string): Promise<TestAnswer>
  /** @param key the primary key of this group if absent */
  settings(deviceId: string, key?: string): Promise<TestAnswer>
  /** The device's record in the group's list. */
  record(deviceId: string): Promise<Record<string, unknown> | undefined>
}

export const webhookSecret = 'a webhook secret'

export async function makeGroup(platform: Platform, options: GroupOptions = {}): Promise<TestGroup> {
  const { token = platform.adminToken } = options
  const create = async (path: string, body?: object) => {
    const answer = await platform.post(path, body, { token })
    if (answer.status !== 201)
      throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const target = await create('/api/routing-targets', {
    name: 'target',
    brokers: [{ host: 'mqtt.example.com', port: 1883 }],
    provider_base_url: `${platform.url}/v1/providers/mqtt`,
    provider_api_key: (await create('/v1/api-tokens', { displayName: 'onboarding' })).token,
    webhook_secret: webhookSecret,
    ...options.target,
  })
  const group = await create('/api/enrollment-groups', {
    name: 'group',
    routing_target_id: target.id,
    response_template: template,
    ...options.group,
  })
  const path = `/api/enrollment-groups/${group.id}`
  const { primary_key } = await create(`${path}/keys/generate`)
  return {
    targetId: target.id,
    groupId: group.id,
    bootstrapKey: primary_key,
    add: (device_id) => platform.post(`${path}/devices`, { device_id }, { token }),
    provision: (device_id) =>
      platform.post('/provision_device', { device_id, enrollment_group_id: group.id }, { token }),
    settings: (deviceId, key = primary_key) => fetchSettings(platform, deviceId, key),
    record: async (deviceId) => {
      const { body } = await platform.get(`${path}/devices?limit=1000`, { token })
      return body.items.find((item: { device_id: string }) => item.device_id === deviceId)
    },
  }
}

export const fetchSettings = (platform: Platform, deviceId: string, key: string) =>
  platform.get('/get_settings', {
    token: null,
    headers: { authorization: `Basic ${Buffer.from(`${deviceId}:${key}`).toString('base64')}` },
  })
