/** Creates targets, groups and devices of the onboarding pages over the public API. */
import { estRequest, makeRequest } from '../../../server/test/harness/est-client.ts'
import type { TestConsole } from './console.ts'

export const hostile = '<img src=x onerror=alert(1)> \u202Etfel'
const template = {
  host: '{{target.host}}',
  port: '{{target.port}}',
  user: '{{device.id}}',
  primary: '{{device.primary_key}}',
}

export async function makeTarget({ api }: TestConsole, name: string, providerId = 'mqtt'): Promise<string> {
  const { token } = await api('POST', '/v1/api-tokens', {
    displayName: 'onboarding',
    privileges: ['provider_client_management'],
  })
  const { http, mqtt } = await api('GET', '/v1/endpoints')
  const { id } = await api('POST', '/api/routing-targets', {
    name,
    brokers: [{ host: '127.0.0.1', port: Number(new URL(mqtt.replace('mqtt:', 'http:')).port) }],
    provider_base_url: `${http}/v1/providers/${providerId}`,
    provider_api_key: token,
    webhook_secret: 'a secret of the test',
  })
  return id
}

export async function makeGroup(
  { api }: TestConsole,
  targetId: string,
  fields: { name: string; key_policy?: string },
): Promise<string> {
  const { id } = await api('POST', '/api/enrollment-groups', {
    routing_target_id: targetId,
    response_template: template,
    ...fields,
  })
  return id
}

/** @returns the bootstrap key of the slot that was empty */
export async function generateKey({ api }: TestConsole, groupId: string): Promise<string> {
  const keys = await api('POST', `/api/enrollment-groups/${groupId}/keys/generate`)
  return keys.secondary_key ?? keys.primary_key
}

export async function makeDevice({ api }: TestConsole, groupId: string, deviceId: string) {
  await api('POST', `/api/enrollment-groups/${groupId}/devices`, { device_id: deviceId })
  await api('POST', '/provision_device', { device_id: deviceId, enrollment_group_id: groupId })
}

export const askSettings = ({ url }: TestConsole, deviceId: string, key: string) =>
  fetch(`${url}/get_settings`, {
    headers: { authorization: `Basic ${Buffer.from(`${deviceId}:${key}`).toString('base64')}` },
  })

/** Enrols a certificate for the device with the bootstrap key of its group. */
export async function enrol(world: TestConsole, groupId: string, device: [deviceId: string, key: string]) {
  const platform = { ctx: { endpoints: world.server.endpoints } } as Parameters<typeof estRequest>[0]
  const options = { body: await makeRequest(), basic: device }
  const { status, body } = await estRequest(platform, `${groupId}/simpleenroll`, options)
  if (status !== 200) throw new Error(`The enrolment was answered with ${status}: ${body}`)
}
