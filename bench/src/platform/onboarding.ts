/** Prepares what devices need for onboarding: API token, routing target, enrollment group, key. */
import { inLanes } from '@gangway/server/dist/lib/in-lanes.js'
import type { Platform } from './start.ts'

export interface EnrollmentGroup {
  id: string
  bootstrapKey: string
}

interface BulkResult {
  added: number
  errors: unknown[]
}

export async function createEnrollmentGroup(platform: Platform): Promise<EnrollmentGroup> {
  const api = platform.api()
  const { token } = await api.post<{ token: string }>('/v1/api-tokens', {
    displayName: 'bench',
    privileges: ['provider_client_management'],
  })
  const target = await api.post<{ id: string }>('/api/routing-targets', {
    name: 'bench',
    brokers: [{ host: '127.0.0.1', port: platform.server().mqttPort }],
    provider_base_url: `${api.url}/v1/providers/mqtt`,
    provider_api_key: token,
    webhook_secret: 'a webhook secret of the bench',
  })
  const group = await api.post<{ id: string }>('/api/enrollment-groups', {
    name: 'bench',
    auth_method: 'shared_key',
    routing_target_id: target.id,
    status: 'enabled',
    response_template: {
      device_id: '{{device.id}}',
      mqtt: {
        host: '{{target.host}}',
        port: '{{target.port}}',
        password: '{{device.primary_key}}',
        next_password: '{{device.secondary_key}}',
      },
    },
  })
  const keys = await api.post<{ primary_key: string }>(`/api/enrollment-groups/${group.id}/keys/generate`)
  return { id: group.id, bootstrapKey: keys.primary_key }
}

/** @throws if one of them exists already */
export async function bulkAdd(platform: Platform, groupId: string, deviceIds: string[]): Promise<void> {
  const lines = deviceIds.map((device_id) => JSON.stringify({ device_id })).join('\n')
  const path = `/api/enrollment-groups/${groupId}/devices/bulk`
  const { added, errors } = await platform.api().post<BulkResult>(path, lines)
  if (added !== deviceIds.length)
    throw new Error(
      `${added} of ${deviceIds.length} devices were added; ${errors.length} errors: ${JSON.stringify(errors[0])}`,
    )
}

export async function provision(platform: Platform, groupId: string, deviceIds: string[]): Promise<void> {
  await inLanes(deviceIds, { lanes: 16 }, (device_id) =>
    platform.api().post('/provision_device', { device_id, enrollment_group_id: groupId }),
  )
}
