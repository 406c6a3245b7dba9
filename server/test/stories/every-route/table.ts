/**
 * The expected answers of each route to an administrator of another tenant, to a member without rights, to a viewer, and to
 * an authorized user: a status, or `nothing`, which is 200 without any id of the world. Deletes come last.
 */
import { template } from '../../harness/onboarded-device.ts'
import { adminPassword } from '../../harness/platform.ts'
import { alarmRows, notificationRows, realtimeRows } from './alarm-rows.ts'
import { assetCommandRows, assetRows, bindingRows, methodTemplateRows, modelRows } from './asset-rows.ts'
import { dashboardRows } from './dashboard-rows.ts'
import { firmwareRows } from './firmware-rows.ts'
import {
  type Ids,
  list,
  listOfTenant,
  madeInTenant,
  object,
  seen,
  ofEnvironment,
  ofTenant,
  own,
  row,
  type Row,
} from './row.ts'
import { simulationRows } from './simulation-rows.ts'
import { newUserBody, type World } from './world.ts'

/** Routes without a token; those of devices and providers have their own tests. */
export const openRoutes = [
  'GET /ack/{token}',
  'POST /ack/{token}',
  'GET /docs',
  'GET /docs/{asset}',
  'GET /healthz',
  'GET /metrics',
  'GET /openapi.json',
  'GET /v1/ca.crt',
  'GET /readyz',
  'GET /.well-known/jwks.json',
  'GET /v1/auth/oidc',
  'POST /v1/auth/oidc',
  'POST /v1/auth/login',
  'POST /v1/auth/logout',
  'POST /v1/auth/refresh',
  'POST /v1/auth/password-reset',
  'POST /v1/auth/password-reset/confirm',
  'GET /v1/files/{token}',
  'GET /.well-known/pki/{tenant}/crl',
  'GET /.well-known/est/csrattrs',
  'GET /.well-known/est/{enrollmentGroupId}/cacerts',
  'GET /.well-known/est/{enrollmentGroupId}/csrattrs',
]
/** Routes with another kind of authentication; without it they answer 401. */
export const otherwiseGuarded = ['GET /get_settings', 'POST /api/webhooks/provider-events']

/** Routes of devices that are refused over plain HTTP, whatever the credentials. */
export const overTlsOnly = [
  'GET /.well-known/est/cacerts',
  ...['simpleenroll', 'simplereenroll', 'serverkeygen'].flatMap((operation) => [
    `POST /.well-known/est/${operation}`,
    `POST /.well-known/est/{enrollmentGroupId}/${operation}`,
  ]),
]

export function makeRows({ ids }: World): Record<string, Row> {
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
    ...simulationRows(ids),
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
    'GET /v1/overview': own(200),
    'GET /v1/system/health': ofEnvironment(200),
    'GET /v1/system/jobs': ofEnvironment(200),
    'POST /v1/parsers/try': own(200, { body: { parser: 'json', payload: '{}' } }),
    'POST /v1/api-tokens': own(201, { body: { displayName: 'T' } }),
    'GET /v1/api-tokens': listOfTenant(),

    'GET /v1/tenants': ofEnvironment(200),
    'POST /v1/tenants': ofEnvironment(201, {
      body: { id: 'new', displayName: 'New', administrator: newUserBody() },
    }),
    'GET /v1/tenants/{tenantId}': ofEnvironment(200, { at: { tenantId: 'default' } }),
    'PATCH /v1/tenants/{tenantId}': ofEnvironment(200, { at: { tenantId: 'default' }, body: rename }),
    // A tenant cannot be deleted by its own users.
    'DELETE /v1/tenants/{tenantId}': ofEnvironment(409, { at: { tenantId: 'default' } }),
    'GET /v1/audit-log': ofTenant(),

    'POST /v1/relations': object(201, { body: relation }),
    'POST /v1/relations/query': list({ body: { resourceType: 'dashboard' } }),
    'POST /v1/relations/impact': object(200, { body: relation }),
    'POST /v1/relations/delete': object(204, { body: relation }),
    'POST /v1/permissions/query': seen(200, { body: may }),
    'POST /v1/permissions/check': seen(200, { body: may }),
    'POST /v1/permissions/explain': seen(200, { body: may }),
    'POST /v1/permissions/subjects': seen(200, { body: { ...may, subjectId: undefined } }),
    'POST /v1/permissions/resources': list({ body: { ...may, resourceId: undefined } }),
    'POST /v1/privileges/query': object(200, { body: holds }),
    'POST /v1/privileges/check': seen(200, { body: { ...holds, organizationId } }),

    'GET /v1/organizations': list(),
    'POST /v1/organizations': object(201, {
      body: { displayName: 'New', parentOrganizationId: ids.organization },
    }),
    'GET /v1/organizations/{organizationId}': seen(200, { at: { organizationId } }),
    'PATCH /v1/organizations/{organizationId}': object(200, { at: { organizationId }, body: rename }),
    'GET /v1/organization-templates': ofTenant(),
    'POST /v1/organization-templates': madeInTenant({ body: { displayName: 'T' } }),
    'GET /v1/organization-templates/{templateId}': object(200, {
      at: { templateId: ids.organizationTemplate! },
    }),
    'PATCH /v1/organization-templates/{templateId}': object(200, {
      at: { templateId: ids.organizationTemplate! },
      body: rename,
    }),

    'GET /v1/users': listOfTenant(),
    'POST /v1/users': madeInTenant({ body: newUserBody }),
    'GET /v1/users/{userId}': object(200, { at: { userId: ids.user! } }),
    'PATCH /v1/users/{userId}': object(200, { at: { userId: ids.user! }, body: rename }),
    // The test server sends no mail.
    'POST /v1/users/{userId}/password-link': object(409, { at: { userId: ids.user! } }),
    'GET /v1/groups': listOfTenant(),
    'POST /v1/groups': madeInTenant({ body: { displayName: 'G' } }),
    'GET /v1/groups/{groupId}': object(200, { at: { groupId: ids.users! } }),
    'PATCH /v1/groups/{groupId}': object(200, { at: { groupId: ids.users! }, body: rename }),

    'GET /v1/tree': seen(200, { at: { query: `startNodeId=${ids.node}` } }),
    'GET /v1/tree/nodes': list(),
    'POST /v1/tree/nodes': object(201, { body: here }),
    'GET /v1/tree/nodes/{nodeId}': seen(200, { at: { nodeId: ids.node! } }),
    'PATCH /v1/tree/nodes/{nodeId}': object(200, { at: { nodeId: ids.node! }, body: rename }),
    'GET /v1/tree/children': list(),
    'GET /v1/tree/places': seen(200, { at: { query: `type=node&id=${ids.node}` } }),
    'POST /v1/tree/move': object(200, {
      body: { type: 'node', id: ids.other, to: { type: 'node', id: ids.node }, dryRun: true },
    }),
    'GET /v1/tree/edges': list(),
    'POST /v1/tree/edges': object(201, { body: edge }),
    'POST /v1/tree/edges/delete': object(204, { body: { fromType: 'node', fromId: ids.node } }),

    ...dashboardRows(ids, here),
  }
}

function providerRows(ids: Ids, here: object): Record<string, Row> {
  const [provider, client] = [{ providerId: ids.provider! }, { providerId: 'mqtt', clientId: ids.client! }]
  const mqtt = { providerId: 'mqtt' }
  const ofTemplate = { templateId: ids.providerTemplate! }
  const webhook = { url: 'https://example.com/', secret: 'x' }
  const ofWebhook = { providerId: 'mqtt', webhookId: ids.webhook! }
  const [rename, span] = [
    { displayName: 'Renamed' },
    { searchSpanFrom: '2026-01-01', searchSpanTo: '2026-02-01' },
  ]
  return {
    'GET /v1/providers': list(),
    'POST /v1/providers': object(201, { body: { ...here, id: 'new', type: 'mqtt' } }),
    'GET /v1/providers/{providerId}': seen(200, { at: provider }),
    // The other tenant has none with this id, so it would be created, in an organization that it does not have.
    'PUT /v1/providers/{providerId}': object(200, { at: provider, body: { ...here, type: 'mqtt' } }),
    'GET /v1/providers/{providerId}/webhooks': object(200, { at: provider }),
    'POST /v1/providers/{providerId}/webhooks': object(201, { at: provider, body: webhook }),
    // A webhook is searched in the provider of the path, and each tenant has a provider `mqtt`.
    'GET /v1/providers/{providerId}/webhooks/{webhookId}': object(200, { at: ofWebhook }),
    'GET /v1/providers/{providerId}/webhooks/{webhookId}/deliveries': object(200, { at: ofWebhook }),
    'POST /v1/providers/{providerId}/webhooks/{webhookId}/deliveries/{deliveryId}/retry': object(200, {
      at: { ...ofWebhook, deliveryId: ids.webhookDelivery! },
    }),
    'POST /v1/providers/{providerId}/clients/validate': object(200, { at: provider, body: { id: 'x' } }),
    // Each tenant has a provider `mqtt`; that of the other tenant has no client.
    'GET /v1/providers/{providerId}/clients': list({ at: mqtt }),
    'GET /v1/provider-clients': list(),
    'POST /v1/providers/{providerId}/clients': object(201, { at: mqtt, body: { ...here, id: 'new' } }),
    'GET /v1/providers/{providerId}/clients/{clientId}': seen(200, { at: client }),
    'PUT /v1/providers/{providerId}/clients/{clientId}': object(200, { at: client, body: rename }),
    'PATCH /v1/providers/{providerId}/clients/{clientId}': object(200, { at: client, body: rename }),
    'POST /v1/providers/{providerId}/clients/{clientId}/provision': object(200, {
      at: client,
      body: { options: {} },
    }),
    'GET /v1/providers/{providerId}/clients/{clientId}/credentials': object(200, { at: client }),
    'POST /v1/providers/{providerId}/clients/{clientId}/credentials/rotate': object(200, { at: client }),
    'GET /v1/providers/{providerId}/clients/{clientId}/properties/reported': seen(200, { at: client }),
    'GET /v1/providers/{providerId}/clients/{clientId}/properties/desired': seen(200, { at: client }),
    'PUT /v1/providers/{providerId}/clients/{clientId}/properties/desired': object(200, {
      at: client,
      body: { a: 1 },
    }),
    'POST /v1/providers/{providerId}/clients/{clientId}/methods': object(409, {
      at: client,
      body: { method: 'reboot' },
    }),
    'GET /v1/providers/{providerId}/clients/{clientId}/limits': seen(200, { at: client }),
    'GET /v1/providers/{providerId}/clients/{clientId}/bindings': seen(200, { at: client }),
    'GET /v1/providers/{providerId}/clients/{clientId}/connections': seen(200, { at: client }),
    'GET /v1/providers/{providerId}/clients/{clientId}/dead-letters': seen(200, { at: client }),
    'POST /v1/providers/{providerId}/clients/{clientId}/dead-letters/{deadLetterId}/try': seen(200, {
      at: { ...client, deadLetterId: ids.deadLetter! },
      body: { parser: 'json' },
    }),
    'GET /v1/providers/{providerId}/clients/{clientId}/dead-letters/{deadLetterId}': seen(200, {
      at: { ...client, deadLetterId: ids.deadLetter! },
    }),
    // Only clients of type `import` accept these.
    'POST /v1/providers/{providerId}/clients/{clientId}/telemetry': object(409, { at: client, body: '{}' }),
    'POST /v1/providers/{providerId}/clients/{clientId}/reported': object(409, { at: client, body: '{}' }),
    'GET /v1/provider-templates': list(),
    'POST /v1/provider-templates': object(201, { body: { ...here, id: 'new' } }),
    'GET /v1/provider-templates/{templateId}': seen(200, { at: ofTemplate }),
    'PUT /v1/provider-templates/{templateId}': object(200, { at: ofTemplate, body: rename }),
    'GET /v1/telemetry/storage': ofTenant(),
    'POST /v1/timeseries/get': seen(200, {
      body: { assetId: ids.client, timeseriesName: ['t'], ...isoSpan(span) },
    }),
    'POST /v1/timeseries/get/last': seen(200, {
      body: {
        items: [{ assetId: ids.client, componentId: null, timeseries: [{ name: 't', type: 'telemetry' }] }],
      },
    }),
  }
}

const isoSpan = (span: Record<string, string>) =>
  Object.fromEntries(Object.entries(span).map(([key, day]) => [key, `${day}T00:00:00.000Z`]))

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
  // A list of one: a certificate that the caller may not view is not found.
  const certificate = row(
    { otherTenant: 404, withoutRights: 404, viewer: 200, allowedStatus: 200 },
    { at: { certificateId: ids.certificate! } },
  )
  return {
    'GET /api/routing-targets': ofTenant(),
    'POST /api/routing-targets': madeInTenant({ body: newTarget }),
    'GET /api/routing-targets/{id}': object(200, { at: target }),
    'PUT /api/routing-targets/{id}': object(200, { at: target, body: { name: 'Renamed' } }),
    'GET /api/enrollment-groups': ofTenant(),
    'POST /api/enrollment-groups': object(201, { body: newGroup }),
    'POST /api/enrollment-groups/preview': object(200, {
      body: { routing_target_id: ids.target, response_template: template, device_id: 'any-device' },
    }),
    'GET /api/enrollment-groups/{id}': object(200, { at: group }),
    'PUT /api/enrollment-groups/{id}': object(200, { at: group, body: { name: 'Renamed' } }),
    'GET /api/enrollment-groups/{id}/keys': object(200, { at: group }),
    'POST /api/enrollment-groups/{id}/keys/generate': object(201, { at: group }),
    'POST /api/enrollment-groups/{id}/keys/flip': object(200, { at: group }),
    'POST /api/enrollment-groups/{id}/keys/derive': object(200, {
      at: group,
      body: { device_ids: ['new-device'] },
    }),
    'GET /api/enrollment-groups/{id}/keys/readiness': object(200, { at: group }),
    'GET /api/enrollment-groups/{id}/devices': object(200, { at: group }),
    'POST /api/enrollment-groups/{id}/devices': object(201, { at: group, body: { device_id: 'new-device' } }),
    'POST /api/enrollment-groups/{id}/devices/bulk': object(200, {
      at: group,
      body: '{"device_id":"bulk-device"}\n',
      headers: { 'content-type': 'application/x-ndjson' },
    }),
    'GET /api/enrollment-groups/{id}/devices/{deviceId}/trace': object(200, {
      at: { ...group, deviceId: ids.device! },
    }),
    'GET /api/enrollment-groups/{id}/certificates': object(200, { at: group }),
    'PUT /api/enrollment-groups/{id}/certificates': object(200, { at: group, body: { validity_days: 30 } }),
    'PATCH /api/enrollment-groups/{id}/certificates': object(200, { at: group, body: { validity_days: 30 } }),
    'GET /v1/certificate-authorities': ofTenant(),
    'POST /v1/certificate-authorities/rotate': madeInTenant(),
    // Neither text is PEM.
    'POST /v1/certificate-authorities/import': row(
      { otherTenant: 400, withoutRights: 403, viewer: 403, allowedStatus: 400 },
      { body: { certificates: 'none', privateKey: 'none' } },
    ),
    'GET /v1/certificate-authorities/{authorityId}/certificates': object(200, {
      at: { authorityId: ids.authority! },
    }),
    'GET /api/onboarding/attempts': ofTenant(),
    'POST /provision_device': object(201, { body: device }),
    'GET /api/enrollment-groups/{id}/devices/{deviceId}/certificates': object(200, {
      at: { ...group, deviceId: ids.device! },
    }),
    'GET /v1/certificates': list(),
    'GET /v1/certificates/forecast': row({
      otherTenant: 200,
      withoutRights: 200,
      viewer: 200,
      allowedStatus: 200,
    }),
    'GET /v1/certificates/{certificateId}': certificate,
    'GET /v1/certificates/{certificateId}/pem': certificate,
    'POST /api/enrollment-groups/{id}/devices/{deviceId}/certificates/revoke': object(200, {
      at: { ...group, deviceId: ids.device! },
    }),
    'POST /v1/certificate-authorities/{authorityId}/revoke': object(200, {
      at: { authorityId: ids.authority! },
    }),
  }
}

function resourceRows(ids: Ids): Record<string, Row> {
  const at = { resourceId: ids.resource! }
  const form = () => {
    const body = new FormData()
    body.append('file', new Blob(['text']), 'a.txt')
    body.append('organizationId', ids.organization!)
    return body
  }
  return {
    'GET /v1/resources': list(),
    'POST /v1/resources': object(201, {
      body: { displayName: 'New', document: {}, organizationId: ids.organization },
    }),
    'GET /v1/resources/tags': list(),
    'GET /v1/resources/{resourceId}': seen(200, { at }),
    'PATCH /v1/resources/{resourceId}': object(200, { at, body: { displayName: 'Renamed' } }),
    'PUT /v1/resources/{resourceId}/tags': object(200, { at, body: { type: 'json' } }),
    'GET /v1/resources/{resourceId}/references': seen(200, { at }),
    'GET /v1/resources/download/{resourceId}': seen(200, { at }),
    'POST /v1/resources/upload': object(201, { body: form }),
    // The type is checked after access; this resource is a document.
    'PUT /v1/resources/upload/{resourceId}': object(409, { at, body: form }),
    'GET /v1/themes/current': list(),
  }
}

function deleteRows(ids: Ids): Record<string, Row> {
  const gone = (at: Record<string, string>) => object(204, { at })
  return {
    // Tokens belong to the user who created them.
    'DELETE /v1/api-tokens/{tokenId}': row(
      { otherTenant: 404, withoutRights: 404, viewer: 404, allowedStatus: 204 },
      { at: { tokenId: ids.token! } },
    ),
    'DELETE /v1/assets/{assetId}': gone({ assetId: ids.asset! }),
    'DELETE /v1/models/{modelId}': gone({ modelId: ids.model! }),
    'DELETE /v1/notifications/{notificationId}': gone({ notificationId: ids.notification! }),
    'DELETE /v1/contactgroups/{contactGroupId}': gone({ contactGroupId: ids.contactGroup! }),
    'DELETE /v1/resources/{resourceId}': gone({ resourceId: ids.resource! }),
    'DELETE /v1/dashboards/{dashboardId}/api-tokens/{tokenId}': gone({
      dashboardId: ids.dashboard!,
      tokenId: ids.dashboardToken!,
    }),
    'DELETE /v1/dashboards/{dashboardId}/draft': gone({ dashboardId: ids.dashboard! }),
    'DELETE /v1/dashboards/{dashboardId}': gone({ dashboardId: ids.dashboard! }),
    'DELETE /v1/tree/nodes/{nodeId}': gone({ nodeId: ids.other! }),
    'DELETE /v1/groups/{groupId}': gone({ groupId: ids.users! }),
    'DELETE /v1/users/{userId}': gone({ userId: ids.user! }),
    'DELETE /v1/organization-templates/{templateId}': gone({ templateId: ids.organizationTemplate! }),
    'DELETE /v1/organizations/{organizationId}': gone({ organizationId: ids.branch! }),
    'DELETE /v1/provider-templates/{templateId}': gone({ templateId: ids.providerTemplate! }),
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
