/**
 * Makes simulations, webhooks and the objects of onboarding. Relations cannot name them, so the permission checks do not cover
 * them. The tests compare the pages with what the API answers each person.
 */
import type { TestConsole } from './console.ts'
import type { Api } from './fixtures.mjs'
import { generateKey, makeGroup, makeTarget } from './onboarding.ts'

export interface Guarded {
  name: string
  /** The list that shows the object, if there is one. */
  list?: string
  page: string
  /** Where the API answers the object. */
  route: string
  /** A change that never changes anything, refused for want of rights or for another reason. */
  change: [method: string, path: string, body?: object]
  /** Buttons of the page that change the object. */
  buttons: string[]
}

const nowhere = '00000000-0000-4000-8000-000000000000'

/** A simulation and a webhook of a provider, both of one organization. */
export async function makeGuarded(api: Api, organizationId: string, place: string): Promise<Guarded[]> {
  const providerId = `fleet-${place.toLowerCase()}`
  await api('PUT', `/v1/providers/${providerId}`, { displayName: providerId, organizationId, type: 'mqtt' })
  const simulation = await api('POST', '/v1/simulations', {
    displayName: `Simulation of ${place}`,
    organizationId,
    providerId,
    count: 1,
    signals: [{ name: 'temperature', generator: 'constant', value: 20 }],
    intervalSeconds: 60,
  })
  const webhooks = `/v1/providers/${providerId}/webhooks`
  const url = `https://${place.toLowerCase()}.example.com/events`
  const webhook = await api('POST', webhooks, { url, secret: 'a secret of the test' })
  return [
    {
      name: simulation.displayName,
      list: '/simulations',
      page: `/simulations/${simulation.id}`,
      route: `/v1/simulations/${simulation.id}`,
      change: ['PATCH', `/v1/simulations/${simulation.id}`, {}],
      buttons: ['Start', 'Delete simulation'],
    },
    {
      name: url,
      list: `/settings/webhooks?provider=${providerId}`,
      page: `/settings/webhooks/${providerId}/${webhook.id}`,
      route: `${webhooks}/${webhook.id}`,
      change: ['POST', `${webhooks}/${webhook.id}/deliveries/${nowhere}/retry`],
      buttons: ['Delete webhook'],
    },
  ]
}

/** A target, a group with both of its keys, and a device. These belong to the tenant, and to no organization. */
export async function makeOnboarding(world: TestConsole): Promise<Guarded[]> {
  const targetId = await makeTarget(world, 'Target of onboarding')
  const groupId = await makeGroup(world, targetId, { name: 'Group of onboarding' })
  await generateKey(world, groupId)
  await generateKey(world, groupId)
  const deviceId = 'device-of-onboarding'
  const target = `/api/routing-targets/${targetId}`
  const group = `/api/enrollment-groups/${groupId}`
  await world.api('POST', `${group}/devices`, { device_id: deviceId })
  const groupPage = `/onboarding/groups/${groupId}`
  return [
    {
      name: 'Target of onboarding',
      list: '/onboarding/targets',
      page: `/onboarding/targets/${targetId}?tab=groups`,
      route: target,
      change: ['PUT', target, {}],
      buttons: ['Delete target'],
    },
    {
      name: 'Group of onboarding',
      list: '/onboarding/groups',
      page: `${groupPage}?tab=settings`,
      route: group,
      change: ['PUT', group, {}],
      buttons: ['Disable group', 'Delete group'],
    },
    {
      name: 'Group of onboarding',
      page: `${groupPage}?tab=keys`,
      route: `${group}/keys`,
      // Both slots are full.
      change: ['POST', `${group}/keys/generate`],
      buttons: ['Show keys', 'Flip keys'],
    },
    {
      name: deviceId,
      list: `/onboarding/devices?group=${groupId}`,
      page: `${groupPage}/devices/${deviceId}`,
      route: `${group}/devices/${deviceId}/trace`,
      change: ['POST', `${group}/devices`, {}],
      buttons: ['Provision device', 'Remove device'],
    },
  ]
}
