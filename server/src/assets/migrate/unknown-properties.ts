import { formatEndpointId } from '../endpoints.ts'
import type { ModelParts } from '../models/model-endpoints.ts'

type Properties = Record<string, unknown>

/** Metadata such as `$version` and `__t`, which is no property. */
const isMark = (name: string) => name.startsWith('$') || name === '__t'

/**
 * Lists the desired or reported properties that the target model does not have, as endpoint ids. An object under the
 * name of a component contains that component's properties. [docs/assets#properties]
 */
export function listUnknownProperties(
  assetId: string,
  properties: Properties,
  source: ModelParts,
  target: ModelParts,
): string[] {
  const unknown = (componentId: string, name: string) => {
    const endpoint = { instanceId: assetId, componentId, kind: 'property', name } as const
    const id = formatEndpointId(endpoint)
    return target.endpoints.has(id.slice(assetId.length + 1)) ? [] : [id]
  }
  const isComponent = (name: string) => source.components.has(name) || target.components.has(name)
  return Object.entries(properties).flatMap(([name, value]) => {
    if (isMark(name)) return []
    if (!isComponent(name) || !isObject(value)) return unknown('', name)
    return Object.keys(value).flatMap((inner) => (isMark(inner) ? [] : unknown(name, inner)))
  })
}

const isObject = (value: unknown): value is Properties =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
