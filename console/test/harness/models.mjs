// Creates models, assets and bindings over the public API.
import { hostileNames, sendValues } from './fixtures.mjs'

export const pumpModel = 'dtmi:com:example:Pump;1'

export const pumpDefinition = {
  '@context': ['dtmi:dtdl:context;3', 'dtmi:dtdl:extension:quantitativeTypes;1'],
  '@id': pumpModel,
  '@type': 'Interface',
  displayName: 'Pump',
  contents: [
    {
      '@type': ['Telemetry', 'Temperature'],
      name: 'temperature',
      schema: 'double',
      unit: 'degreeCelsius',
      displayName: hostileNames[3],
    },
    { '@type': 'Telemetry', name: 'pressure', schema: 'double' },
    { '@type': 'Telemetry', name: 'running', schema: 'boolean' },
    { '@type': 'Property', name: 'speed', schema: 'integer', writable: true },
    { '@type': 'Command', name: 'restart', request: { name: 'delay', schema: 'integer' } },
    { '@type': 'Component', name: 'motor', schema: 'dtmi:com:example:Motor;1' },
  ],
}

/**
 * Call it after `makeDevices`: `pump-7` reads `pump-0000` of the provider `plant`; one binding fails, and some
 * endpoints are unbound.
 */
export async function makeModels(api) {
  const [{ id: organizationId }] = await api('GET', '/v1/organizations')
  const motor = {
    '@context': 'dtmi:dtdl:context;3',
    '@id': 'dtmi:com:example:Motor;1',
    '@type': 'Interface',
    displayName: 'Motor',
    contents: [{ '@type': 'Telemetry', name: 'rpm', schema: 'integer' }],
  }
  await api('POST', '/v1/models', { organizationId, definition: motor })
  await api('POST', '/v1/models', { organizationId, definition: pumpDefinition })
  await api('POST', '/v1/models', {
    organizationId,
    displayName: hostileNames[2],
    description: hostileNames[0],
    definition: { ...motor, '@id': 'dtmi:com:example:Hostile;1' },
  })
  const asset = { modelId: pumpModel, organizationId }
  await api('POST', '/v1/assets', { ...asset, id: 'pump-7', displayName: 'Pump 7' })
  await api('POST', '/v1/assets', { ...asset, id: 'hostile', displayName: hostileNames[0] })
  await api('POST', '/v1/assets/pump-7/bind', {
    endpointBindings: [
      {
        localEndpointId: 'pump-7/-/telemetry/temperature',
        remoteEndpointIds: [{ name: 'fahrenheit', endpointId: 'pump-0000/-/telemetry/temperature' }],
        transform: { '/': [{ '-': [{ var: 'fahrenheit' }, 32] }, 1.8] },
      },
      {
        localEndpointId: 'pump-7/-/telemetry/running',
        remoteEndpointIds: [{ name: 'value', endpointId: 'pump-0000/-/telemetry/mode' }],
      },
    ],
    ignoreEndpointsIds: ['pump-7/-/command/restart'],
  })
  await sendValues(api, 'pump-0000', { temperature: 212, mode: 'automatic' })
  return { organizationId }
}
