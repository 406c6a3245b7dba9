// The organizations, people, tenants and tokens in the screenshots of the guide.
import { until } from './fixtures.mjs'

const password = 'correct horse battery'

/**
 * Makes two branches with people: Mara manages the first one, Ana and the shift see the second one.
 *
 * @returns the ids of organizations, people and the group of the shift
 */
export async function makePeople(api) {
  const [{ id: rootId }] = await api('GET', '/v1/organizations')
  await api('PATCH', `/v1/organizations/${rootId}`, { displayName: 'Example Works' })
  const branch = async (displayName, parentOrganizationId) =>
    (await api('POST', '/v1/organizations', { displayName, parentOrganizationId })).id
  const northId = await branch('North', rootId)
  await branch('Hall service', northId)
  const southId = await branch('South', rootId)
  const user = async (displayName, email) =>
    (await api('POST', '/v1/users', { displayName, email, password })).id
  const maraId = await user('Mara Keller', 'mara@example.com')
  const anaId = await user('Ana Ruiz', 'ana@example.com')
  const tomId = await user('Tom Brandt', 'tom@example.com')
  const shift = { displayName: 'Shift leads', description: 'Whoever leads the shift of the day' }
  const { id: groupId } = await api('POST', '/v1/groups', shift)
  const relate = (subjectType, subjectId, relation, resourceType, resourceId) =>
    api('POST', '/v1/relations', { subjectType, subjectId, relation, resourceType, resourceId })
  await relate('user', maraId, 'manager', 'organization', northId)
  await relate('user', anaId, 'viewer', 'organization', southId)
  for (const member of [anaId, tomId]) await relate('user', member, 'member', 'group', groupId)
  await relate('group', groupId, 'viewer', 'organization', southId)
  const body = { displayName: 'Tom’s valves', parentOrganizationId: southId }
  const { id: valvesId } = await api('POST', '/v1/organizations', body)
  await relate('user', tomId, 'alarm_manager', 'organization', valvesId)
  return { rootId, northId, maraId, anaId, tomId, groupId }
}

export async function makeTenants(api) {
  for (const [id, displayName, telemetryRetentionDays] of [
    ['harbour', 'Harbour Logistics', 400],
    ['waterworks', 'City Waterworks', null],
  ]) {
    const administrator = { displayName: 'Administrator', email: `admin@${id}.example`, password }
    await api('POST', '/v1/tenants', { id, displayName, administrator })
    await api('PATCH', `/v1/tenants/${id}`, { telemetryRetentionDays })
  }
  await api('POST', '/v1/api-tokens', { displayName: 'Monthly report', privileges: ['data_view'] })
}

/** A webhook whose receiver cannot be found, with an event that waits. */
export async function makeWebhook(api) {
  const webhooks = '/v1/providers/mqtt/webhooks'
  const { id } = await api('POST', webhooks, {
    url: 'https://maintenance.invalid/gangway',
    secret: 'a secret of the pictures',
  })
  await api('POST', '/v1/providers/mqtt/clients', { id: 'old-pump', displayName: 'Old pump' })
  await api('DELETE', '/v1/providers/mqtt/clients/old-pump')
  await until(async () =>
    (await api('GET', `${webhooks}/${id}/deliveries`)).some(({ lastError }) => lastError !== null),
  )
}
