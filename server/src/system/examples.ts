/** An example body for each route of the API reference that has one; the OpenAPI linter checks them. */

const id = '0190b2a4-7e30-7c11-9f4d-2b6a51c0d001'
const here = { organizationId: id }
const rename = { displayName: 'Pump hall north', description: 'Ground floor' }
const model = 'dtmi:com:example:Pump;1'
const relation = {
  subjectType: 'user',
  subjectId: id,
  resourceType: 'asset',
  resourceId: 'pump-7',
  relation: 'viewer',
}
const permission = { ...relation, relation: undefined, permission: 'view' }
const privilege = { subjectType: 'user', subjectId: id, privilege: 'asset_management', ...here }
const alarm = {
  name: 'Too hot',
  entityTypeId: model,
  entityIds: [],
  condition: '{">": [{"var": "temperature"}, 80]}',
  severity: 4,
}
const span = { searchSpanFrom: '2026-03-01T00:00:00.000Z', searchSpanTo: '2026-03-02T00:00:00.000Z' }
const channels = {
  email: { active: true, subject: '{{alarmName}}', template: '{{assetName}} is too hot: {{ackUrl}}' },
}
const release = {
  displayName: 'Pump 2.1',
  startingModels: [{ id: model }],
  propertyValues: [{ key: 'channel', value: 'stable' }],
  fileResourceId: id,
  fileName: 'pump-2.1.bin',
}
const deploymentTemplate = {
  displayName: 'Firmware by desired property',
  version: '1',
  steps: [{ name: 'firmware', type: 'SetProperty', value: { url: '{{fileUrl}}', sha256: '{{fileSha256}}' } }],
  status: {
    statusPropertyName: 'firmware',
    statusType: 'ReportedProperty',
    statusMap: {
      successStatuses: [{ value: 'Succeeded' }],
      failureStatuses: [{ value: 'Failed' }],
      rejectStatuses: [],
      cancelStatuses: [],
    },
  },
}
const description = {
  displayName: 'Pump of the mqtt provider',
  bindings: [
    {
      localEndpoint: '-/telemetry/temperature',
      remotes: [{ name: 'value', instanceName: 'device', endpoint: '-/telemetry/t' }],
    },
  ],
}
const methodTemplate = { displayName: 'Reboot', method: 'reboot', payload: { delaySeconds: 5 } }
const subscription = { connectionId: 'c-1', topic: 'telemetry', assets: ['pump-7'], samplingType: 'none' }
const group = {
  name: 'Pumps of 2026',
  auth_method: 'shared_key',
  routing_target_id: id,
  status: 'enabled',
  response_template: {
    host: '{{target.host}}',
    port: '{{target.port}}',
    username: '{{device.id}}',
    password: '{{device.primary_key}}',
  },
}
const target = {
  name: 'Built-in broker',
  brokers: [{ host: 'mqtt.example.net', port: 1883 }],
  provider_base_url: 'https://gangway.example.net/v1/providers/mqtt',
  provider_api_key: 'an-api-token',
  webhook_secret: 'a-webhook-secret',
}
const secret = 'correct horse battery'

/** Examples by method and path. */
export const requestExamples: Record<string, unknown> = {
  'POST /api/enrollment-groups': group,
  'POST /api/enrollment-groups/preview': {
    routing_target_id: id,
    response_template: group.response_template,
    device_id: 'pump-7',
  },
  'PUT /api/enrollment-groups/{id}': { status: 'disabled' },
  'PUT /api/enrollment-groups/{id}/certificates': { enabled: true, minimum_tier: 2 },
  'PATCH /api/enrollment-groups/{id}/certificates': { validity_days: 90 },
  'POST /v1/certificate-authorities/import': {
    certificates: '-----BEGIN CERTIFICATE-----…',
    privateKey: '-----BEGIN PRIVATE KEY-----…',
  },
  'POST /api/enrollment-groups/{id}/keys/derive': { device_ids: ['pump-7', 'pump-8'] },
  'POST /api/enrollment-groups/{id}/devices': { device_id: 'pump-7' },
  'POST /api/routing-targets': target,
  'PUT /api/routing-targets/{id}': { brokers: target.brokers },
  'POST /provision_device': { device_id: 'pump-7', enrollment_group_id: id },
  'POST /v1/alarms': alarm,
  'PUT /v1/alarms/{alarmId}': alarm,
  'PUT /v1/alarms/status/acknowledge/{alarmStatusId}': {
    comment: 'The valve is stuck; a plumber comes at noon.',
  },
  'POST /v1/notifications/{notificationId}/test': { channel: 'email' },
  'POST /v1/alarms/backtest': {
    alarm,
    assetIds: ['pump-7'],
    from: span.searchSpanFrom,
    to: span.searchSpanTo,
  },
  'POST /v1/api-tokens': { displayName: 'Nightly report', privileges: ['asset_management'] },
  'POST /v1/assets': { id: 'pump-7', modelId: model, displayName: 'Pump 7', ...here },
  'POST /v1/assets/migrate': { targetAssetModelId: 'dtmi:com:example:Pump;2', assetIds: ['pump-7'] },
  'PATCH /v1/assets/{assetId}': rename,
  'POST /v1/assets/{assetId}/bind': { autobindRemoteInstanceIds: ['pump-7'] },
  'POST /v1/assets/{assetId}/bindings/preview': {
    binding: {
      localEndpointId: 'pump-7/-/telemetry/temperature',
      remoteEndpointIds: [{ name: 'fahrenheit', endpointId: 'sensor-7/-/telemetry/t' }],
      transform: { '/': [{ '-': [{ var: 'fahrenheit' }, 32] }, 1.8] },
    },
    values: { fahrenheit: 68 },
  },
  'POST /v1/assets/{assetId}/replace-device': { from: 'pump-7', to: 'pump-7b', dryRun: true },
  'POST /v1/assets/{assetId}/commands/{commandName}': { payload: { speed: 900 }, expiresAfterSeconds: 60 },
  'POST /v1/assets/{assetId}/commands/{commandName}/cancel': { commandId: id },
  'PUT /v1/assets/{assetId}/properties/desired': { target: 40.5 },
  'POST /v1/auth/login': { username: 'admin@example.com', password: secret },
  'POST /v1/auth/logout': { refreshToken: 'a-refresh-token' },
  'POST /v1/auth/refresh': { refreshToken: 'a-refresh-token' },
  'POST /v1/providers/{providerId}/clients/{clientId}/dead-letters/{deadLetterId}/try': {
    parser: 'influx-line',
    options: { precision: 'ms' },
  },
  'POST /v1/auth/oidc': {
    tenant: 'default',
    code: 'the-code-of-the-issuer',
    codeVerifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    redirectUri: 'https://gangway.example/console/sign-in/oidc',
    cookie: true,
  },
  'POST /v1/auth/password': { currentPassword: secret, newPassword: `${secret} 2` },
  'POST /v1/auth/password-reset': { email: 'admin@example.com' },
  'POST /v1/auth/password-reset/confirm': { token: 'the-token-of-the-mail', newPassword: secret },
  'POST /v1/binding-descriptions': { ...description, modelId: model, ...here },
  'PUT /v1/binding-descriptions/{bindingDescriptionId}': description,
  'POST /v1/contactgroups': { displayName: 'On call', users: [id], userGroups: [], ...here },
  'PATCH /v1/contactgroups/{contactGroupId}': { users: [id] },
  'POST /v1/dashboards': { ...rename, data: {}, ...here },
  'PATCH /v1/dashboards/{dashboardId}': { ...rename, version: 3 },
  'POST /v1/dashboards/{dashboardId}/api-tokens': {
    displayName: 'Screen in hall 3',
    expiresAt: '2027-01-01T00:00:00Z',
  },
  'PUT /v1/dashboards/{dashboardId}/draft': { version: 3, data: {} },
  'POST /v1/firmware/deployment-templates': { ...deploymentTemplate, ...here },
  'POST /v1/firmware/deployments': {
    displayName: 'Pumps to 2.1',
    deploymentTemplateId: id,
    releaseId: id,
    deviceIds: ['pump-7'],
    rollout: { waves: [10, 100], failureThresholdPercent: 5 },
    ...here,
  },
  'POST /v1/firmware/deployments/preview': {
    deploymentTemplateId: id,
    releaseId: id,
    selection: { modelId: model, tag: 'site=north' },
    rollout: { waves: [10, 100] },
    ...here,
  },
  'POST /v1/firmware/releases': { ...release, ...here },
  'PUT /v1/firmware/releases/{releaseId}': release,
  'POST /v1/groups': { displayName: 'Night shift' },
  'PATCH /v1/groups/{groupId}': { displayName: 'Day shift' },
  'POST /v1/method-templates': { ...methodTemplate, ...here },
  'PUT /v1/method-templates/{methodTemplateId}': methodTemplate,
  'POST /v1/models': {
    ...here,
    definition: {
      '@context': 'dtmi:dtdl:context;3',
      '@id': model,
      '@type': 'Interface',
      contents: [{ '@type': 'Telemetry', name: 'temperature', schema: 'double' }],
    },
  },
  'PUT /v1/models/{modelId}': rename,
  'POST /v1/notifications': {
    displayName: 'Hot pumps',
    trigger: { alarmTrigger: [id] },
    broadcast: false,
    channels,
    subscribers: { contactGroups: [{ contactGroupId: id }] },
    ...here,
  },
  'PATCH /v1/notifications/{notificationId}': { channels: { email: { active: false } } },
  'POST /v1/notifications/{notificationId}/subscribers': { contactGroupId: id },
  'POST /v1/organization-templates': { displayName: 'Site', privileges: ['asset_management'] },
  'PATCH /v1/organization-templates/{templateId}': rename,
  'POST /v1/organizations': { displayName: 'Site north', parentOrganizationId: id },
  'PATCH /v1/organizations/{organizationId}': {
    ...rename,
    contacts: { notifications: { users: [id], userGroups: [] } },
  },
  'POST /v1/parsers/try': { parser: 'json', payload: '{"temperature": 21.5}' },
  'POST /v1/permissions/check': permission,
  'POST /v1/permissions/explain': permission,
  'POST /v1/permissions/query': permission,
  'POST /v1/permissions/resources': { ...permission, resourceId: undefined },
  'POST /v1/permissions/subjects': { ...permission, subjectId: undefined },
  'POST /v1/privileges/check': privilege,
  'POST /v1/privileges/query': privilege,
  'POST /v1/provider-client/firmware-update/cancel': { providerClientId: 'pump-7' },
  'POST /v1/provider-templates': {
    displayName: 'Gateway',
    enabled: true,
    tags: { site: ['north'] },
    ...here,
  },
  'PUT /v1/provider-templates/{templateId}': { displayName: 'Gateway', enabled: false },
  'POST /v1/providers': { id: 'files', type: 'import', displayName: 'Files', ...here },
  'PUT /v1/providers/{providerId}': { type: 'import', displayName: 'Files' },
  'POST /v1/providers/{providerId}/clients': { id: 'pump-7', displayName: 'Pump 7', enabled: true, ...here },
  'POST /v1/providers/{providerId}/clients/validate': { id: 'pump-7' },
  'PUT /v1/providers/{providerId}/clients/{clientId}': { displayName: 'Pump 7', enabled: false },
  'PATCH /v1/providers/{providerId}/clients/{clientId}': {
    providerData: { parser: { name: 'jmespath', options: { expression: '{temperature: t}' } } },
  },
  'POST /v1/providers/{providerId}/clients/{clientId}/methods': {
    method: 'reboot',
    payload: null,
    timeoutSeconds: 30,
  },
  'PUT /v1/providers/{providerId}/clients/{clientId}/properties/desired': { intervalSeconds: 10 },
  'POST /v1/providers/{providerId}/clients/{clientId}/provision': { templateId: 'gateway', options: {} },
  'POST /v1/providers/{providerId}/webhooks': { url: 'https://hooks.example.net/gangway', secret },
  'POST /api/enrollment-groups/{id}/devices/{deviceId}/certificates/revoke': { reason: 'key_compromise' },
  'POST /v1/certificate-authorities/{authorityId}/revoke': { reason: 'ca_compromise' },
  'POST /v1/realtime/subscriptions': subscription,
  'PUT /v1/realtime/subscriptions/{subscriptionId}': subscription,
  'POST /v1/relations': relation,
  'POST /v1/relations/delete': relation,
  'POST /v1/relations/impact': relation,
  'POST /v1/relations/query': { resourceType: 'asset', optionalRelation: 'viewer' },
  'POST /v1/resources': { displayName: 'Theme', tags: { theme: 'dark' }, document: { colors: {} } },
  'PATCH /v1/resources/{resourceId}': { tags: { theme: 'light' } },
  'PUT /v1/resources/{resourceId}/tags': { tags: { theme: 'light' } },
  'POST /v1/simulations': {
    displayName: 'Ten pumps',
    providerId: 'mqtt',
    count: 10,
    signals: [{ name: 'temperature', generator: 'sine', amplitude: 5, offset: 20, periodSeconds: 600 }],
    intervalSeconds: 10,
    ...here,
  },
  'PATCH /v1/simulations/{simulationId}': rename,
  'POST /v1/simulations/{simulationId}/faults': { kind: 'silence', deviceCount: 2, durationSeconds: 60 },
  'POST /v1/tenants': {
    id: 'acme',
    displayName: 'Acme',
    administrator: { displayName: 'Ann', email: 'ann@acme.example', password: secret },
  },
  'PATCH /v1/tenants/{tenantId}': { plan: 'enterprise', telemetryRetentionDays: 365 },
  'POST /v1/timeseries/get': {
    assetId: 'pump-7',
    timeseriesName: ['temperature'],
    ...span,
    aggregationType: 'avg',
    aggregationInterval: 'PT1H',
    whereClause: 'value > 20',
  },
  'POST /v1/timeseries/get/last': {
    items: [
      { assetId: 'pump-7', componentId: null, timeseries: [{ name: 'temperature', type: 'telemetry' }] },
    ],
  },
  'POST /v1/tree/edges': {
    fromType: 'node',
    fromId: id,
    toType: 'asset',
    toId: 'pump-7',
    relation: 'CONTAINS',
  },
  'POST /v1/tree/edges/delete': { fromType: 'node', fromId: id },
  'POST /v1/tree/move': {
    type: 'asset',
    id: 'pump-7',
    edgeId: id,
    to: { type: 'node', id },
    dryRun: true,
  },
  'POST /v1/tree/nodes': { displayName: 'Hall north', parentNodeId: null, ...here },
  'PATCH /v1/tree/nodes/{nodeId}': rename,
  'POST /v1/users': { displayName: 'Ann', email: 'ann@example.net', password: secret },
  'PATCH /v1/users/{userId}': { phoneNumber: '+4930123456' },
}
