// Creates a tree with assets of a model, some with hostile names, over the public API. It is plain JavaScript because
// screenshots are taken without a compiler.
import { hostileNames, sendValues } from './fixtures.mjs'

const pumpModel = 'dtmi:com:example:ConsolePump;1'
const motorModel = 'dtmi:com:example:ConsoleMotor;1'

const interfaceOf = (id, displayName, contents) => ({
  '@context': 'dtmi:dtdl:context;3',
  '@id': id,
  '@type': 'Interface',
  displayName,
  contents,
})

const recipe = {
  '@type': 'Object',
  fields: [
    { name: 'speed', displayName: { en: 'Speed', de: 'Drehzahl' }, schema: 'integer' },
    {
      name: 'mode',
      displayName: 'Mode',
      schema: {
        '@type': 'Enum',
        valueSchema: 'string',
        enumValues: [
          { name: 'gentle', displayName: 'Gentle', enumValue: 'gentle' },
          { name: 'full', displayName: 'Full power', enumValue: 'full' },
        ],
      },
    },
    { name: 'rinse', displayName: 'Rinse first', schema: 'boolean' },
    { name: 'steps', displayName: 'Steps', schema: { '@type': 'Array', elementSchema: 'double' } },
  ],
}

const pumpContents = [
  { '@type': 'Telemetry', name: 'temperature', displayName: 'Temperature', schema: 'double' },
  { '@type': 'Telemetry', name: 'pressure', displayName: 'Pressure', schema: 'double' },
  { '@type': 'Telemetry', name: 'running', schema: 'boolean' },
  { '@type': 'Property', name: 'limit', displayName: 'Upper limit', schema: 'integer', writable: true },
  { '@type': 'Property', name: 'serial', schema: 'string' },
  { '@type': 'Command', name: 'identify' },
  {
    '@type': 'Command',
    name: 'run',
    displayName: 'Run a recipe',
    request: { name: 'recipe', schema: recipe },
  },
  { '@type': 'Command', name: 'hang' },
  { '@type': 'Component', name: 'motor', schema: motorModel },
]

/**
 * Creates `Plant North` with two halls: `pump-7` is in the first one, assets with hostile names are in the second one.
 * @param device the client that `pump-7` reads
 */
export async function makeAssets(api, { device = 'pump-0000' } = {}) {
  const [{ id: organizationId }] = await api('GET', '/v1/organizations')
  const makeModel = (id, name, contents) =>
    api('POST', '/v1/models', {
      displayName: name,
      organizationId,
      definition: interfaceOf(id, name, contents),
    })
  await makeModel(motorModel, 'Motor', [{ '@type': 'Telemetry', name: 'rpm', schema: 'integer' }])
  await makeModel(pumpModel, 'Pump', pumpContents)
  const plant = await makeNode(api, 'Plant North')
  const halls = [await makeNode(api, 'Hall 1', plant), await makeNode(api, 'Hall 2', plant)]
  await makeNode(api, hostileNames[0], plant)
  await makeNode(api, hostileNames[2], plant)
  await makeAsset(api, 'pump-7', 'Pump 7', halls[0])
  for (const [index, name] of hostileNames.entries())
    await makeAsset(api, `hostile-asset-${index}`, name, halls[1])
  await api('POST', '/v1/assets/pump-7/bind', { autobindRemoteInstanceIds: [device] })
  await api('POST', '/v1/alarms', {
    name: 'Too hot',
    entityTypeId: pumpModel,
    severity: 4,
    condition: JSON.stringify({ '>': [{ var: 'temperature' }, 90] }),
  })
  return { plant, halls, organizationId }
}

export async function makeNode(api, displayName, parentNodeId = null) {
  const [{ id: organizationId }] = await api('GET', '/v1/organizations')
  const { id } = await api('POST', '/v1/tree/nodes', { displayName, parentNodeId, organizationId })
  return id
}

export async function makeAsset(api, id, displayName, nodeId) {
  const [{ id: organizationId }] = await api('GET', '/v1/organizations')
  await api('POST', '/v1/assets', { id, modelId: pumpModel, displayName, organizationId })
  if (nodeId !== undefined)
    await api('POST', '/v1/tree/move', { type: 'asset', id, to: { type: 'node', id: nodeId } })
}

/** Sends values of the last minutes; the newest one raises the alarm. */
export async function sendHistory(api, clientId = 'pump-0000') {
  for (const [index, temperature] of [71.3, 74, 78.5, 83, 95.5].entries())
    await sendValues(api, clientId, { temperature, pressure: 2 + index / 10, running: index % 2 === 0 })
}
