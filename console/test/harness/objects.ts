/** One object of each type in an organization, for tests of who sees what. */
import type { Api } from './fixtures.mjs'

/** Each object has the name `<Type> of <place>`. */
export interface Made {
  /** As the API of permissions calls it. */
  resourceType: string
  id: string
  name: string
  list: string
  page: string
  /** A page that says so if the user may not manage the object. */
  manage?: string
}

export async function makeObjects(api: Api, organizationId: string, place: string): Promise<Made[]> {
  const key = place.toLowerCase()
  const modelId = `dtmi:com:example:${place};1`
  const named = (type: string) => ({ displayName: `${type} of ${place}`, organizationId })
  await api('POST', '/v1/models', {
    ...named('Model'),
    definition: {
      '@context': 'dtmi:dtdl:context;3',
      '@id': modelId,
      '@type': 'Interface',
      contents: [{ '@type': 'Telemetry', name: 'temperature', schema: 'double' }],
    },
  })
  await api('POST', '/v1/assets', { ...named('Asset'), id: `asset-${key}`, modelId })
  await api('PUT', `/v1/providers/bus-${key}`, { ...named('Bus'), type: 'import' })
  const device = { id: `device-${key}`, displayName: `Device of ${place}` }
  await api('POST', `/v1/providers/bus-${key}/clients`, device)
  const make = async (path: string, body: object): Promise<string> => (await api('POST', path, body)).id
  const ruleId = await make('/v1/alarms', {
    name: `Rule of ${place}`,
    organizationId,
    entityTypeId: modelId,
    condition: JSON.stringify({ '>': [{ var: 'temperature' }, 70] }),
  })
  const dashboardId = await make('/v1/dashboards', named('Dashboard'))
  const notificationId = await make('/v1/notifications', {
    ...named('Notification'),
    broadcast: false,
    trigger: { alarmTrigger: [ruleId] },
    channels: { email: { active: true, template: '{{value}}' } },
  })
  const contactGroupId = await make('/v1/contactgroups', named('Contact group'))
  const documentId = await make('/v1/resources', { ...named('Document'), document: {} })
  const releaseId = await make('/v1/firmware/releases', named('Release'))
  const model = `/models/${encodeURIComponent(modelId)}`
  const made = (resourceType: string, type: string, [id, list, page, manage]: string[]): Made => ({
    resourceType,
    id: id!,
    name: `${type} of ${place}`,
    list: list!,
    page: page!,
    ...(manage !== undefined && { manage }),
  })
  const asset = `/assets/asset-${key}`
  const dashboard = `/dashboards/${dashboardId}`
  const file = `/files/${documentId}`
  return [
    made('model', 'Model', [modelId, '/models', model, `${model}/edit`]),
    made('asset', 'Asset', [`asset-${key}`, '/assets', asset, `${asset}/bindings`]),
    made('provider_client', 'Device', [device.id, '/devices', `/devices/bus-${key}/${device.id}`]),
    made('alarm', 'Rule', [ruleId, '/rules', `/rules/${ruleId}`, `/rules/${ruleId}`]),
    made('dashboard', 'Dashboard', [dashboardId, '/dashboards', dashboard, `${dashboard}/edit`]),
    made('notification', 'Notification', page(notificationId, '/notifications')),
    made('contact_group', 'Contact group', page(contactGroupId, '/contact-groups')),
    made('resource_item', 'Document', [documentId, '/files', file, `${file}?tab=details`]),
    made('firmware', 'Release', page(releaseId, '/firmware/releases')),
  ]
}

const page = (id: string, list: string) => [id, list, `${list}/${id}`, `${list}/${id}`]
