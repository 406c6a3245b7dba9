// The plant in the screenshots of the guide: a tree with assets of a model, their bindings, and an enrollment group.

const pumpModel = 'dtmi:com:example:Pump;1'

const pump = {
  '@context': ['dtmi:dtdl:context;3', 'dtmi:dtdl:extension:quantitativeTypes;1'],
  '@id': pumpModel,
  '@type': 'Interface',
  displayName: 'Pump',
  contents: [
    { '@type': ['Telemetry', 'Temperature'], name: 'temperature', schema: 'double', unit: 'degreeCelsius' },
    { '@type': ['Telemetry', 'Pressure'], name: 'pressure', schema: 'double', unit: 'bar' },
    { '@type': 'Telemetry', name: 'running', schema: 'boolean' },
    { '@type': ['Telemetry', 'Power'], name: 'power', schema: 'double', unit: 'kilowatt' },
    { '@type': 'Property', name: 'intervalSeconds', schema: 'integer', writable: true },
    { '@type': 'Property', name: 'firmware', schema: 'string' },
    {
      '@type': 'Command',
      name: 'flush',
      displayName: 'Flush',
      request: { name: 'seconds', displayName: 'Seconds', schema: 'integer' },
    },
  ],
}

/**
 * The tree; each asset has the id of the device that feeds it, if there is one. Values that an asset takes are not stored
 * with the device, so the devices of the other screenshots feed none.
 */
const tree = {
  'Plant North': {
    'Hall 1': [
      ['feed-1', 'Feed pump 1', 'pump-6'],
      ['feed-2', 'Feed pump 2', 'pump-7'],
      ['circulation-1', 'Circulation pump', 'pump-8'],
    ],
    'Hall 2': [['booster-1', 'Booster pump', undefined]],
  },
  'Plant South': { Waterworks: [['sump-1', 'Sump pump', undefined]] },
}

/**
 * Call it before the devices send, so that their values reach the assets.
 *
 * @returns the id of the rule for hot pumps
 */
export async function makePlant(api) {
  const [{ id: organizationId }] = await api('GET', '/v1/organizations')
  await api('POST', '/v1/models', { organizationId, displayName: 'Pump', definition: pump })
  for (const [plant, halls] of Object.entries(tree)) {
    const { id: plantId } = await api('POST', '/v1/tree/nodes', { displayName: plant, organizationId })
    for (const [hall, assets] of Object.entries(halls)) {
      const node = { displayName: hall, parentNodeId: plantId, organizationId }
      const { id: hallId } = await api('POST', '/v1/tree/nodes', node)
      for (const [id, displayName, device] of assets) {
        await api('POST', '/v1/assets', { id, displayName, modelId: pumpModel, organizationId })
        await api('POST', '/v1/tree/move', { type: 'asset', id, to: { type: 'node', id: hallId } })
        if (device !== undefined) await bindPump(api, id, device)
      }
    }
  }
  const rule = (fields) => api('POST', '/v1/alarms', { entityTypeId: pumpModel, ...fields })
  const { id: ruleId } = await rule({
    name: 'Pump too hot',
    description: 'The bearing suffers above 71 °C.',
    severity: 4,
    condition: JSON.stringify({ '>': [{ var: 'temperature' }, 71] }),
    clearCondition: JSON.stringify({ '<': [{ var: 'temperature' }, 69] }),
  })
  await rule({
    name: 'Pressure too low',
    severity: 2,
    condition: JSON.stringify({ '<': [{ var: 'pressure' }, 1.8] }),
  })
  return ruleId
}

const bindPump = (api, assetId, device) =>
  api('POST', `/v1/assets/${assetId}/bind`, {
    endpointBindings: [
      ...['temperature', 'running'].map((signal) => bindSignal(assetId, device, signal)),
      bindSignal(assetId, device, 'pressure', { '*': [{ var: 'pressure' }, 1.02] }),
      {
        localEndpointId: `${assetId}/-/property/intervalSeconds`,
        remoteEndpointIds: [{ name: 'interval', endpointId: `${device}/-/property/intervalSeconds` }],
      },
    ],
  })

const bindSignal = (assetId, device, signal, transform = null) => ({
  localEndpointId: `${assetId}/-/telemetry/${signal}`,
  remoteEndpointIds: [{ name: signal, endpointId: `${device}/-/telemetry/${signal}` }],
  transform,
})

/** Creates a routing target of this server and two groups; devices of the first one are registered. */
export async function makeOnboarding(api) {
  const { token } = await api('POST', '/v1/api-tokens', {
    displayName: 'Onboarding',
    privileges: ['provider_client_management'],
  })
  const { http } = await api('GET', '/v1/endpoints')
  const { id: targetId } = await api('POST', '/api/routing-targets', {
    name: 'This platform',
    brokers: [{ host: 'iot.example.com', port: 8883 }],
    provider_base_url: `${http}/v1/providers/mqtt`,
    provider_api_key: token,
    webhook_secret: 'a secret of the pictures',
  })
  const groups = []
  for (const name of ['Pumps of 2026', 'Meters of 2026']) {
    const { id } = await api('POST', '/api/enrollment-groups', {
      name,
      routing_target_id: targetId,
      key_policy: 'derived_only',
      response_template: {
        broker: { host: '{{target.host}}', port: '{{target.port}}' },
        user: '{{device.id}}',
        password: '{{device.primary_key}}',
        intervalSeconds: 10,
      },
    })
    await api('POST', `/api/enrollment-groups/${id}/keys/generate`)
    groups.push(id)
  }
  for (const device of ['pump-2026-001', 'pump-2026-002', 'pump-2026-003', 'pump-2026-004'])
    await api('POST', `/api/enrollment-groups/${groups[0]}/devices`, { device_id: device })
  for (const device of ['pump-2026-001', 'pump-2026-002'])
    await api('POST', '/provision_device', { device_id: device, enrollment_group_id: groups[0] })
}
