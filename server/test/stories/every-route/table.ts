/**
 * What each route answers to a stranger from another tenant, to a member without rights, and to whoever may. A status,
 * or `nothing`: 200 without any of the world's ids. Deletes stand at the end of what they end.
 */
import { template } from '../../harness/onboarded-device.ts'
import { adminPassword } from '../../harness/platform.ts'
import { firmwareRows } from './firmware-rows.ts'
import { resourceRows } from './resource-rows.ts'
import { type Ids, row, object, list, ofTenant, own, ofEnvironment, type Row } from './row.ts'
import { modelDefinition, newUserBody, type World } from './world.ts'

export type { Row } from './row.ts'

/** Without any token; the routes of a device and of a provider have their own tests. */
export const openRoutes = [
  'GET /ack/{token}',
  'POST /ack/{token}',
  'GET /docs',
  'GET /docs/{asset}',
  'GET /healthz',
  'GET /metrics',
  'GET /openapi.json',
  'GET /readyz',
  'GET /.well-known/jwks.json',
  'GET /v1/auth/oidc',
  'POST /v1/auth/login',
  'POST /v1/auth/logout',
  'POST /v1/auth/refresh',
  'POST /v1/auth/password-reset',
  'POST /v1/auth/password-reset/confirm',
  'GET /v1/files/{token}',
]
/** Signed or signed in to in another way; without that they answer 401. */
export const otherwiseGuarded = ['GET /get_settings', 'POST /api/webhooks/provider-events']

export function rowsOf({ ids }: World): Record<string, Row> {
  const here = { displayName: 'New', organizationId: ids.organization }
  return {
    ...accessRows(ids, here),
    ...providerRows(ids, here),
    ...modelRows(ids),
    ...assetRows(ids, here),
    ...methodTemplateRows(ids, here),
    ...bindingRows(ids, here),
    ...assetCommandRows(ids),
    ...realtimeRows(ids),
    ...notificationRows(ids, here),
    ...alarmRows(ids),
    ...resourceRows(ids),
    ...firmwareRows(ids, here),
    ...onboardingRows(ids),
    ...deleteRows(ids),
  }
}

function accessRows(ids: Ids, here: object): Record<string, Row> {
  const organizationId = ids.organization!
  const dashboard = { resourceType: 'dashboard', resourceId: ids.dashboard }
  const may = { subjectType: 'user', subjectId: ids.user, ...dashboard, permission: 'view' }
  const holds = { subjectType: 'user', subjectId: ids.user, privilege: 'asset_management' }
  const relation = { subjectType: 'user', subjectId: ids.user, ...dashboard, relation: 'manager' }
  const edge = { fromType: 'node', fromId: ids.node, toType: 'node', toId: ids.other, relation: 'CONTAINS' }
  const rename = { displayName: 'Renamed' }
  return {
    'GET /v1/auth/me': own(200),
    'POST /v1/auth/password': own(400, { body: { currentPassword: 'wrong', newPassword: adminPassword } }),
    'GET /v1/endpoints': own(200),
    'POST /v1/parsers/try': own(200, { body: { parser: 'json', payload: '{}' } }),
    'POST /v1/api-tokens': own(201, { body: { displayName: 'T' } }),
    'GET /v1/api-tokens': list(),

    'GET /v1/tenants': ofEnvironment(200),
    'POST /v1/tenants': ofEnvironment(201, {
      body: { id: 'new', displayName: 'New', administrator: newUserBody() },
    }),
    'GET /v1/tenants/{tenantId}': ofEnvironment(200, { at: { tenantId: 'default' } }),
    'PATCH /v1/tenants/{tenantId}': ofEnvironment(200, { at: { tenantId: 'default' }, body: rename }),
    'GET /v1/audit-log': ofTenant(),

    'POST /v1/relations': object(201, { body: relation }),
    'POST /v1/relations/query': list({ body: { resourceType: 'dashboard' } }),
    'POST /v1/relations/impact': object(200, { body: relation }),
    'POST /v1/relations/delete': object(204, { body: relation }),
    'POST /v1/permissions/query': object(200, { body: may }),
    'POST /v1/permissions/check': object(200, { body: may }),
    'POST /v1/permissions/explain': object(200, { body: may }),
    'POST /v1/permissions/subjects': object(200, { body: may }),
    'POST /v1/permissions/resources': list({ body: may }),
    'POST /v1/privileges/query': object(200, { body: holds }),
    'POST /v1/privileges/check': object(200, { body: { ...holds, organizationId } }),

    'GET /v1/organizations': list(),
    'POST /v1/organizations': object(201, {
      body: { displayName: 'New', parentOrganizationId: ids.organization },
    }),
    'GET /v1/organizations/{organizationId}': object(200, { at: { organizationId } }),
    'PATCH /v1/organizations/{organizationId}': object(200, { at: { organizationId }, body: rename }),
    'GET /v1/organization-templates': ofTenant(),
    'POST /v1/organization-templates': row(201, 403, 201, { body: { displayName: 'T' } }),
    'GET /v1/organization-templates/{templateId}': object(200, {
      at: { templateId: ids.organizationTemplate! },
    }),
    'PATCH /v1/organization-templates/{templateId}': object(200, {
      at: { templateId: ids.organizationTemplate! },
      body: rename,
    }),

    'GET /v1/users': list(),
    'POST /v1/users': row(201, 403, 201, { body: newUserBody }),
    'GET /v1/users/{userId}': object(200, { at: { userId: ids.user! } }),
    'PATCH /v1/users/{userId}': object(200, { at: { userId: ids.user! }, body: rename }),
    'GET /v1/groups': list(),
    'POST /v1/groups': row(201, 403, 201, { body: { displayName: 'G' } }),
    'GET /v1/groups/{groupId}': object(200, { at: { groupId: ids.users! } }),
    'PATCH /v1/groups/{groupId}': object(200, { at: { groupId: ids.users! }, body: rename }),

    'GET /v1/tree': object(200, { at: { query: `startNodeId=${ids.node}` } }),
    'GET /v1/tree/nodes': list(),
    'POST /v1/tree/nodes': object(201, { body: here }),
    'GET /v1/tree/nodes/{nodeId}': object(200, { at: { nodeId: ids.node! } }),
    'PATCH /v1/tree/nodes/{nodeId}': object(200, { at: { nodeId: ids.node! }, body: rename }),
    'GET /v1/tree/edges': list(),
    'POST /v1/tree/edges': object(201, { body: edge }),
    'POST /v1/tree/edges/delete': object(204, { body: { fromType: 'node', fromId: ids.node } }),

    'GET /v1/dashboards': list(),
    'POST /v1/dashboards': object(201, { body: here }),
    'GET /v1/dashboards/{dashboardId}': object(200, { at: { dashboardId: ids.dashboard! } }),
    'PATCH /v1/dashboards/{dashboardId}': object(200, { at: { dashboardId: ids.dashboard! }, body: rename }),
  }
}

function providerRows(ids: Ids, here: object): Record<string, Row> {
  const [provider, client] = [{ providerId: ids.provider! }, { providerId: 'mqtt', clientId: ids.client! }]
  const mqtt = { providerId: 'mqtt' }
  const ofTemplate = { templateId: ids.providerTemplate! }
  const webhook = { url: 'https://example.com/', secret: 'x' }
  const [rename, span] = [
    { displayName: 'Renamed' },
    { searchSpanFrom: '2026-01-01', searchSpanTo: '2026-02-01' },
  ]
  return {
    'GET /v1/providers': list(),
    'POST /v1/providers': object(201, { body: { ...here, id: 'new', type: 'mqtt' } }),
    'GET /v1/providers/{providerId}': object(200, { at: provider }),
    // Of another tenant there is none of that name, so it would be created: in an organization that is not there.
    'PUT /v1/providers/{providerId}': object(200, { at: provider, body: { ...here, type: 'mqtt' } }),
    'GET /v1/providers/{providerId}/webhooks': object(200, { at: provider }),
    'POST /v1/providers/{providerId}/webhooks': object(201, { at: provider, body: webhook }),
    'POST /v1/providers/{providerId}/clients/validate': object(200, { at: provider, body: { id: 'x' } }),
    // Each tenant has a provider `mqtt`; theirs has no client.
    'GET /v1/providers/{providerId}/clients': list({ at: mqtt }),
    'POST /v1/providers/{providerId}/clients': object(201, { at: mqtt, body: { ...here, id: 'new' } }),
    'GET /v1/providers/{providerId}/clients/{clientId}': object(200, { at: client }),
    'PUT /v1/providers/{providerId}/clients/{clientId}': object(200, { at: client, body: rename }),
    'POST /v1/providers/{providerId}/clients/{clientId}/provision': object(200, {
      at: client,
      body: { options: {} },
    }),
    'GET /v1/providers/{providerId}/clients/{clientId}/credentials': object(200, { at: client }),
    'POST /v1/providers/{providerId}/clients/{clientId}/credentials/rotate': object(200, { at: client }),
    'GET /v1/providers/{providerId}/clients/{clientId}/properties/reported': object(200, { at: client }),
    'GET /v1/providers/{providerId}/clients/{clientId}/properties/desired': object(200, { at: client }),
    'PUT /v1/providers/{providerId}/clients/{clientId}/properties/desired': object(200, {
      at: client,
      body: { a: 1 },
    }),
    'POST /v1/providers/{providerId}/clients/{clientId}/methods': object(409, {
      at: client,
      body: { method: 'reboot' },
    }),
    'GET /v1/providers/{providerId}/clients/{clientId}/dead-letters': object(200, { at: client }),
    'GET /v1/providers/{providerId}/clients/{clientId}/dead-letters/{deadLetterId}': object(200, {
      at: { ...client, deadLetterId: ids.deadLetter! },
    }),
    // Only clients of type `import` take these.
    'POST /v1/providers/{providerId}/clients/{clientId}/telemetry': object(409, { at: client, body: '{}' }),
    'POST /v1/providers/{providerId}/clients/{clientId}/reported': object(409, { at: client, body: '{}' }),
    'GET /v1/provider-templates': list(),
    'POST /v1/provider-templates': object(201, { body: { ...here, id: 'new' } }),
    'GET /v1/provider-templates/{templateId}': object(200, { at: ofTemplate }),
    'PUT /v1/provider-templates/{templateId}': object(200, { at: ofTemplate, body: rename }),
    'POST /v1/timeseries/get': object(200, {
      body: { assetId: ids.client, timeseriesName: ['t'], ...isoSpan(span) },
    }),
    'POST /v1/timeseries/get/last': object(200, {
      body: {
        items: [{ assetId: ids.client, componentId: null, timeseries: [{ name: 't', type: 'telemetry' }] }],
      },
    }),
  }
}

/** Connections and subscriptions are everybody's own; the assets are not. */
function realtimeRows(ids: Ids): Record<string, Row> {
  const nobodys = { at: { subscriptionId: ids.dashboard! } }
  return {
    'POST /v1/realtime/negotiate': own(200),
    'GET /v1/realtime/subscriptions': list(),
    // Nobody here has a live connection, which is what the last of them hears.
    'POST /v1/realtime/subscriptions': object(404, {
      body: { connectionId: 'none', topic: 'telemetry', assets: [ids.client] },
    }),
    'PUT /v1/realtime/subscriptions/{subscriptionId}': own(404, { ...nobodys, body: {} }),
    'DELETE /v1/realtime/subscriptions/{subscriptionId}': own(404, nobodys),
  }
}

const isoSpan = (span: Record<string, string>) =>
  Object.fromEntries(Object.entries(span).map(([key, day]) => [key, `${day}T00:00:00.000Z`]))

function modelRows(ids: Ids): Record<string, Row> {
  const at = { modelId: ids.model! }
  const body = { organizationId: ids.organization, definition: modelDefinition('dtmi:walk:fresh;1') }
  return {
    'GET /v1/models': list(),
    'POST /v1/models': object(201, { body }),
    'GET /v1/models/{modelId}': object(200, { at }),
    'GET /v1/models/{modelId}/asset': object(200, { at }),
    'PUT /v1/models/{modelId}': object(200, { at, body: { displayName: 'Renamed' } }),
  }
}

function assetRows(ids: Ids, here: object): Record<string, Row> {
  const at = { assetId: ids.asset! }
  const migration = { targetAssetModelId: ids.model, assetIds: [ids.asset], dryRun: true }
  return {
    'GET /v1/assets': list(),
    'POST /v1/assets': object(201, { body: { ...here, id: 'new', modelId: ids.spareModel } }),
    'GET /v1/assets/{assetId}': object(200, { at }),
    'PATCH /v1/assets/{assetId}': object(200, { at, body: { displayName: 'Renamed' } }),
    'POST /v1/assets/migrate': object(200, { body: migration }),
  }
}

function methodTemplateRows(ids: Ids, here: object): Record<string, Row> {
  const at = { methodTemplateId: ids.methodTemplate! }
  return {
    'GET /v1/method-templates': list(),
    'POST /v1/method-templates': object(201, { body: { ...here, method: 'reboot' } }),
    'GET /v1/method-templates/{methodTemplateId}': object(200, { at }),
    'PUT /v1/method-templates/{methodTemplateId}': object(200, { at, body: { displayName: 'Renamed' } }),
    'DELETE /v1/method-templates/{methodTemplateId}': object(204, { at }),
  }
}

function bindingRows(ids: Ids, here: object): Record<string, Row> {
  const [asset, at] = [{ assetId: ids.boundAsset! }, { bindingDescriptionId: ids.bindingDescription! }]
  const localEndpointId = `${ids.boundAsset}/-/telemetry/temperature`
  const description = { ...here, id: 'new', modelId: ids.boundModel, bindings: [] }
  return {
    'POST /v1/assets/{assetId}/bind': object(200, {
      at: asset,
      body: { endpointBindings: [{ localEndpointId, remoteEndpointIds: [] }] },
    }),
    'GET /v1/assets/{assetId}/bindings': object(200, { at: asset }),
    'GET /v1/binding-descriptions': list(),
    'POST /v1/binding-descriptions': object(201, { body: description }),
    'GET /v1/binding-descriptions/{bindingDescriptionId}': object(200, { at }),
    'PUT /v1/binding-descriptions/{bindingDescriptionId}': object(200, {
      at,
      body: { displayName: 'Renamed' },
    }),
    'DELETE /v1/binding-descriptions/{bindingDescriptionId}': object(204, { at }),
  }
}

function assetCommandRows(ids: Ids): Record<string, Row> {
  const [asset, command] = [{ assetId: ids.tank! }, { assetId: ids.tank!, commandName: 'drain' }]
  return {
    'GET /v1/assets/{assetId}/properties/reported': object(200, { at: asset }),
    'GET /v1/assets/{assetId}/properties/desired': object(200, { at: asset }),
    'PUT /v1/assets/{assetId}/properties/desired': object(200, { at: asset, body: { a: 1 } }),
    'POST /v1/assets/{assetId}/commands/{commandName}': object(202, { at: command, body: {} }),
    'GET /v1/assets/{assetId}/commands/{commandName}': object(200, { at: command }),
    'GET /v1/assets/{assetId}/commands/{commandName}/history': object(200, { at: command }),
    // It is bound to nothing, and so has failed already.
    'POST /v1/assets/{assetId}/commands/{commandName}/cancel': object(409, { at: command, body: {} }),
  }
}

function notificationRows(ids: Ids, here: object): Record<string, Row> {
  const [at, ofGroup] = [{ notificationId: ids.notification! }, { contactGroupId: ids.contactGroup! }]
  const notification = { ...here, trigger: { alarmTrigger: [] }, broadcast: false, channels: {} }
  const query = `alarmId=${ids.firedAlarm}&assetId=${ids.firedAsset}`
  return {
    'GET /v1/contactgroups': list(),
    'POST /v1/contactgroups': object(201, { body: here }),
    'GET /v1/contactgroups/{contactGroupId}': object(200, { at: ofGroup }),
    'PATCH /v1/contactgroups/{contactGroupId}': object(200, { at: ofGroup, body: {} }),
    'GET /v1/notifications': list(),
    'POST /v1/notifications': object(201, { body: notification }),
    'GET /v1/notifications/{notificationId}': object(200, { at }),
    'PATCH /v1/notifications/{notificationId}': object(200, { at, body: {} }),
    'GET /v1/notifications/{notificationId}/deliveries': object(200, { at }),
    'GET /v1/notifications/{notificationId}/recipients': object(200, { at: { ...at, query } }),
    'POST /v1/notifications/{notificationId}/subscribers': object(200, {
      at,
      body: { contactGroupId: ids.contactGroup },
    }),
    'DELETE /v1/notifications/{notificationId}/subscribers/{contactGroupId}': object(204, {
      at: { ...at, ...ofGroup },
    }),
  }
}

function alarmRows(ids: Ids): Record<string, Row> {
  const at = { alarmId: ids.alarm! }
  const draft = { entityTypeId: 'dtmi:walk:watched;1', noDataSeconds: 60 }
  const span = { from: '2026-01-01', to: '2026-01-02' }
  return {
    'GET /v1/alarms': list(),
    'POST /v1/alarms': object(201, { body: { name: 'New', organizationId: ids.organization } }),
    'GET /v1/alarms/status': list(),
    'GET /v1/alarms/status/history': list(),
    'GET /v1/alarms/status/entity/{entityId}': object(200, { at: { entityId: ids.watchedAsset! } }),
    'PUT /v1/alarms/status/acknowledge/{alarmStatusId}': object(200, {
      at: { alarmStatusId: ids.alarmStatus! },
    }),
    // In another tenant there is no such model.
    'POST /v1/alarms/backtest': row(400, 403, 200, {
      body: { alarm: draft, assetIds: [ids.watchedAsset], ...span },
    }),
    'GET /v1/alarms/{alarmId}': object(200, { at }),
    'PUT /v1/alarms/{alarmId}': object(200, { at, body: { name: 'Renamed' } }),
    'DELETE /v1/alarms/{alarmId}': object(204, { at }),
  }
}

function onboardingRows(ids: Ids): Record<string, Row> {
  const [target, group] = [{ id: ids.target! }, { id: ids.group! }]
  const newTarget = {
    name: 'New',
    brokers: [{ host: 'mqtt.example.com', port: 1883 }],
    provider_base_url: 'https://example.com/',
    provider_api_key: 'key',
    webhook_secret: 'secret',
  }
  const newGroup = { name: 'New', routing_target_id: ids.target, response_template: template }
  const device = { device_id: ids.device, enrollment_group_id: ids.group }
  return {
    'GET /api/routing-targets': ofTenant(),
    'POST /api/routing-targets': row(201, 403, 201, { body: newTarget }),
    'GET /api/routing-targets/{id}': object(200, { at: target }),
    'PUT /api/routing-targets/{id}': object(200, { at: target, body: { name: 'Renamed' } }),
    'GET /api/enrollment-groups': ofTenant(),
    'POST /api/enrollment-groups': object(201, { body: newGroup }),
    'GET /api/enrollment-groups/{id}': object(200, { at: group }),
    'PUT /api/enrollment-groups/{id}': object(200, { at: group, body: { name: 'Renamed' } }),
    'GET /api/enrollment-groups/{id}/keys': object(200, { at: group }),
    'POST /api/enrollment-groups/{id}/keys/generate': object(201, { at: group }),
    'POST /api/enrollment-groups/{id}/keys/flip': object(200, { at: group }),
    'GET /api/enrollment-groups/{id}/devices': object(200, { at: group }),
    'POST /api/enrollment-groups/{id}/devices': object(201, { at: group, body: { device_id: 'new-device' } }),
    'POST /api/enrollment-groups/{id}/devices/bulk': object(200, {
      at: group,
      body: '{"device_id":"bulk-device"}\n',
      headers: { 'content-type': 'application/x-ndjson' },
    }),
    'POST /provision_device': object(201, { body: device }),
  }
}

function deleteRows(ids: Ids): Record<string, Row> {
  const gone = (at: Record<string, string>) => object(204, { at })
  return {
    // Tokens are their maker's alone.
    'DELETE /v1/api-tokens/{tokenId}': row(404, 404, 204, { at: { tokenId: ids.token! } }),
    'DELETE /v1/assets/{assetId}': gone({ assetId: ids.asset! }),
    'DELETE /v1/models/{modelId}': gone({ modelId: ids.model! }),
    'DELETE /v1/notifications/{notificationId}': gone({ notificationId: ids.notification! }),
    'DELETE /v1/contactgroups/{contactGroupId}': gone({ contactGroupId: ids.contactGroup! }),
    'DELETE /v1/resources/{resourceId}': gone({ resourceId: ids.resource! }),
    'DELETE /v1/dashboards/{dashboardId}': gone({ dashboardId: ids.dashboard! }),
    'DELETE /v1/tree/nodes/{nodeId}': gone({ nodeId: ids.other! }),
    'DELETE /v1/groups/{groupId}': gone({ groupId: ids.users! }),
    'DELETE /v1/users/{userId}': gone({ userId: ids.user! }),
    'DELETE /v1/organization-templates/{templateId}': gone({ templateId: ids.organizationTemplate! }),
    'DELETE /v1/organizations/{organizationId}': gone({ organizationId: ids.branch! }),
    'DELETE /v1/provider-templates/{templateId}': gone({ templateId: ids.providerTemplate! }),
    // A webhook is looked for in the provider that the path names, and each tenant has a `mqtt`.
    'DELETE /v1/providers/{providerId}/webhooks/{webhookId}': gone({
      providerId: 'mqtt',
      webhookId: ids.webhook!,
    }),
    'DELETE /v1/providers/{providerId}/clients/{clientId}': gone({
      providerId: 'mqtt',
      clientId: ids.client!,
    }),
    'DELETE /v1/providers/{providerId}': gone({ providerId: ids.provider! }),
    'DELETE /api/enrollment-groups/{id}/devices/{deviceId}': gone({ id: ids.group!, deviceId: ids.device! }),
    'DELETE /api/enrollment-groups/{id}': gone({ id: ids.spareGroup! }),
    'DELETE /api/routing-targets/{id}': gone({ id: ids.spareTarget! }),
  }
}
