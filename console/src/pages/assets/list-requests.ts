import { type CodeExample, example, listExample } from '../../parts/code/example.ts'
import type { TabId } from './AssetPage.tsx'
import type { Asset, Content } from './contents.ts'

/** The requests behind a tab of an asset, for scripts. */
export function listRequests(tab: TabId, asset: Asset, contents: Content[]): CodeExample[] {
  const path = { assetId: asset.id }
  const command = contents.find(({ kind }) => kind === 'command')
  const requests: Record<TabId, CodeExample[]> = {
    signals: lastValues(asset, contents),
    dashboards: [listExample('/v1/dashboards', { query: { modelId: asset.modelId, limit: 50 } })],
    properties: [
      example('get', '/v1/assets/{assetId}/properties/reported', { path }),
      example('get', '/v1/assets/{assetId}/properties/desired', { path }),
    ],
    commands:
      command === undefined
        ? []
        : [
            listExample('/v1/assets/{assetId}/commands/{commandName}/history', {
              path: { ...path, commandName: command.name },
            }),
          ],
    alarms: [
      example('get', '/v1/alarms/status/entity/{entityId}', {
        path: { entityId: asset.id },
        query: { limit: 200 },
      }),
    ],
    bindings: [example('get', '/v1/assets/{assetId}/bindings', { path })],
  }
  return requests[tab]
}

/** The last value of each signal of the model. */
function lastValues(asset: Asset, contents: Content[]): CodeExample[] {
  const signals = contents.filter(({ kind }) => kind === 'telemetry')
  const components = [...new Set(signals.map(({ componentId }) => componentId))]
  if (components.length === 0) return []
  const items = components.map((componentId) => ({
    assetId: asset.id,
    componentId,
    timeseries: signals
      .filter((signal) => signal.componentId === componentId)
      .map(({ name }) => ({ name, type: 'telemetry' as const })),
  }))
  return [example('post', '/v1/timeseries/get/last', { body: { items } })]
}
