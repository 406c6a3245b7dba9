/** One object of each type in an organization, for tests of who sees what. */
import { type Api, until } from './fixtures.mjs'
import { makeFirmware } from './objects-firmware.ts'

/** Each object has the name `<Type> of <place>`. */
export interface Made {
  /** As the API of permissions calls it. */
  resourceType: string
  id: string
  name: string
  list: string
  page: string
  /** A page that says so if the user may not manage the object, or that has `manageButton`. */
  manage?: string
  /** A button that is disabled if the user may not manage the object. */
  manageButton?: string
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
  const nodeId = (await api('POST', '/v1/tree/nodes', named('Node'))).id
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
  const activation = await activateAlarm(api, { key, modelId, deviceId: device.id, ...named('Activation') })
  const { releaseId, templateId, deploymentId } = await makeFirmware(api, named, device.id)
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
  const at = `/devices/bus-${key}/${device.id}`
  const node = `/assets?at=node:${nodeId}`
  const deployment = `/firmware/deployments/${deploymentId}`
  return [
    made('model', 'Model', [modelId, '/models', model, `${model}/edit`]),
    made('asset', 'Asset', [`asset-${key}`, '/assets', asset, `${asset}/bindings`]),
    withButton(made('provider_client', 'Device', [device.id, '/devices', at, at]), 'Disable device'),
    withButton(made('node', 'Node', [nodeId, '/assets', node, node]), 'Rename'),
    made('alarm', 'Activation', [activation.ruleId, '/alarms', `/alarms/${activation.statusId}`]),
    made('alarm', 'Rule', [ruleId, '/rules', `/rules/${ruleId}`, `/rules/${ruleId}`]),
    made('dashboard', 'Dashboard', [dashboardId, '/dashboards', dashboard, `${dashboard}/edit`]),
    made('notification', 'Notification', page(notificationId, '/notifications')),
    made('contact_group', 'Contact group', page(contactGroupId, '/contact-groups')),
    made('resource_item', 'Document', [documentId, '/files', file, `${file}?tab=details`]),
    made('firmware', 'Release', page(releaseId, '/firmware/releases')),
    made('firmware', 'Template', page(templateId, '/firmware/templates')),
    made('firmware', 'Deployment', [deploymentId, '/firmware', deployment, deployment]),
  ]
}

const withButton = (object: Made, manageButton: string): Made => ({ ...object, manageButton })

const page = (id: string, list: string) => [id, list, `${list}/${id}`, `${list}/${id}`]

interface Activation {
  key: string
  modelId: string
  deviceId: string
  displayName: string
  organizationId: string
}

/** A rule whose alarm is active on the asset, by a value of the device. */
async function activateAlarm(api: Api, { key, modelId, deviceId, displayName, organizationId }: Activation) {
  const { id: ruleId } = await api('POST', '/v1/alarms', {
    name: displayName,
    organizationId,
    entityTypeId: modelId,
    condition: JSON.stringify({ '>': [{ var: 'temperature' }, 80] }),
  })
  await api('POST', `/v1/assets/asset-${key}/bind`, {
    endpointBindings: [
      {
        localEndpointId: `asset-${key}/-/telemetry/temperature`,
        remoteEndpointIds: [{ name: 'value', endpointId: `${deviceId}/-/telemetry/temperature` }],
      },
    ],
  })
  const read = async () =>
    (await api('GET', `/v1/alarms/status?alarmId=${ruleId}`)) as { alarmStatusId: string }[]
  await api('POST', `/v1/providers/bus-${key}/clients/${deviceId}/telemetry`, { temperature: 90 })
  await until(async () => (await read()).length > 0)
  const [status] = await read()
  return { ruleId, statusId: status!.alarmStatusId }
}
