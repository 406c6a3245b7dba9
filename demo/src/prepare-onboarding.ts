/** Prepares what an administrator creates once: an API token, a routing target, an enrollment group, a bootstrap key. */
import type { Platform } from './platform.ts'

const NAME = 'Demo pumps'

export interface Onboarding {
  groupId: string
}

interface Page<T> {
  items: T[]
  continuation_token: string | null
}

/** A second run reuses the objects of the first. */
export async function prepareOnboarding(platform: Platform): Promise<Onboarding> {
  const groupId = (await findGroup(platform)) ?? (await makeGroup(platform))
  const path = `/api/enrollment-groups/${groupId}/keys`
  const { primary_key } = await platform.call<{ primary_key: string | null }>('GET', path)
  if (!primary_key) await platform.call('POST', `${path}/generate`)
  return { groupId }
}

async function findGroup({ call }: Platform): Promise<string | undefined> {
  for (let cursor = ''; ;) {
    const page = await call<Page<{ id: string; name: string; status: string }>>(
      'GET',
      `/api/enrollment-groups?limit=1000${cursor}`,
    )
    const found = page.items.find((group) => group.name === NAME && group.status === 'enabled')
    if (found || page.continuation_token === null) return found?.id
    cursor = `&cursor=${page.continuation_token}`
  }
}

async function makeGroup({ call, url }: Platform): Promise<string> {
  const { token } = await call<{ token: string }>('POST', '/v1/api-tokens', {
    displayName: NAME,
    privileges: ['provider_client_management'],
  })
  const target = await call<{ id: string }>('POST', '/api/routing-targets', {
    name: NAME,
    brokers: [await getBroker({ call })],
    provider_base_url: `${url}/v1/providers/mqtt`,
    provider_api_key: token,
    webhook_secret: crypto.randomUUID(),
  })
  const group = await call<{ id: string }>('POST', '/api/enrollment-groups', {
    name: NAME,
    auth_method: 'shared_key',
    routing_target_id: target.id,
    status: 'enabled',
    key_policy: 'derived_only',
    response_template: {
      host: '{{target.host}}',
      port: '{{target.port}}',
      primary: '{{device.primary_key}}',
      secondary: '{{device.secondary_key}}',
    },
  })
  return group.id
}

/** Asks the platform for the address of its broker, which may have another port. */
async function getBroker({ call }: Pick<Platform, 'call'>) {
  const { mqtt } = await call<{ mqtt: string }>('GET', '/v1/endpoints')
  const { hostname, port } = new URL(mqtt)
  return { host: hostname, port: Number(port) }
}
