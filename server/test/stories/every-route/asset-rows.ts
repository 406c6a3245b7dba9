import { type Ids, list, object, seen, type Row } from './row.ts'
import { modelDefinition } from './world.ts'

export function modelRows(ids: Ids): Record<string, Row> {
  const at = { modelId: ids.model! }
  const body = { organizationId: ids.organization, definition: modelDefinition('dtmi:walk:fresh;1') }
  return {
    'GET /v1/models': list(),
    'POST /v1/models': object(201, { body }),
    'GET /v1/models/{modelId}': seen(200, { at }),
    'GET /v1/models/{modelId}/asset': seen(200, { at }),
    'PUT /v1/models/{modelId}': object(200, { at, body: { displayName: 'Renamed' } }),
  }
}

export function assetRows(ids: Ids, here: object): Record<string, Row> {
  const at = { assetId: ids.asset! }
  const migration = { targetAssetModelId: ids.model, assetIds: [ids.asset], dryRun: true }
  return {
    'GET /v1/assets': list(),
    'POST /v1/assets': object(201, { body: { ...here, id: 'new', modelId: ids.spareModel } }),
    'GET /v1/assets/{assetId}': seen(200, { at }),
    'PATCH /v1/assets/{assetId}': object(200, { at, body: { displayName: 'Renamed' } }),
    'POST /v1/assets/migrate': object(200, { body: migration }),
  }
}

export function methodTemplateRows(ids: Ids, here: object): Record<string, Row> {
  const at = { methodTemplateId: ids.methodTemplate! }
  return {
    'GET /v1/method-templates': list(),
    'POST /v1/method-templates': object(201, { body: { ...here, method: 'reboot' } }),
    'GET /v1/method-templates/{methodTemplateId}': seen(200, { at }),
    'PUT /v1/method-templates/{methodTemplateId}': object(200, { at, body: { displayName: 'Renamed' } }),
    'DELETE /v1/method-templates/{methodTemplateId}': object(204, { at }),
  }
}

export function bindingRows(ids: Ids, here: object): Record<string, Row> {
  const [asset, at] = [{ assetId: ids.boundAsset! }, { bindingDescriptionId: ids.bindingDescription! }]
  const localEndpointId = `${ids.boundAsset}/-/telemetry/temperature`
  const description = { ...here, id: 'new', modelId: ids.boundModel, bindings: [] }
  return {
    'POST /v1/assets/{assetId}/bind': object(200, {
      at: asset,
      body: { endpointBindings: [{ localEndpointId, remoteEndpointIds: [] }] },
    }),
    'POST /v1/assets/{assetId}/bindings/preview': object(200, {
      at: asset,
      body: {
        binding: {
          localEndpointId,
          remoteEndpointIds: [{ name: 'x', endpointId: `${ids.client}/-/telemetry/t` }],
        },
      },
    }),
    'POST /v1/assets/{assetId}/replace-device': object(400, {
      at: asset,
      body: { from: 'nobody', to: 'nobody-else' },
    }),
    'GET /v1/assets/{assetId}/bindings': seen(200, { at: asset }),
    'GET /v1/binding-descriptions': list(),
    'POST /v1/binding-descriptions': object(201, { body: description }),
    'GET /v1/binding-descriptions/{bindingDescriptionId}': seen(200, { at }),
    'PUT /v1/binding-descriptions/{bindingDescriptionId}': object(200, {
      at,
      body: { displayName: 'Renamed' },
    }),
    'DELETE /v1/binding-descriptions/{bindingDescriptionId}': object(204, { at }),
  }
}

export function assetCommandRows(ids: Ids): Record<string, Row> {
  const [asset, command] = [{ assetId: ids.tank! }, { assetId: ids.tank!, commandName: 'drain' }]
  return {
    'GET /v1/assets/{assetId}/properties/reported': seen(200, { at: asset }),
    'GET /v1/assets/{assetId}/properties/desired': seen(200, { at: asset }),
    'PUT /v1/assets/{assetId}/properties/desired': object(200, { at: asset, body: { a: 1 } }),
    'POST /v1/assets/{assetId}/commands/{commandName}': object(202, { at: command, body: {} }),
    'GET /v1/assets/{assetId}/commands/{commandName}': seen(200, { at: command }),
    'GET /v1/assets/{assetId}/commands/{commandName}/history': seen(200, { at: command }),
    // It is not bound, and has therefore failed already.
    'POST /v1/assets/{assetId}/commands/{commandName}/cancel': object(409, { at: command, body: {} }),
  }
}
