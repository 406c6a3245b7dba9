import type { Answer, Body } from '@gangway/client'
import { writeJson } from '../../parts/code-editor/write-json.ts'

export type BindingSet = Answer<'get', '/v1/assets/{assetId}/bindings'>
export type Binding = BindingSet['bindings'][number]
export type BindingEntry = NonNullable<Body<'post', '/v1/assets/{assetId}/bind'>['endpointBindings']>[number]
export type Content = Answer<'get', '/v1/models/{modelId}/asset'>['contents'][number]

export const kinds = ['telemetry', 'property', 'command'] as const
export type Kind = (typeof kinds)[number]

/** An endpoint of an asset, or of a source. */
export interface Endpoint {
  instanceId: string
  /** `-` for the root component. */
  component: string
  kind: Kind
  name: string
}

export function parseEndpoint(id: string): Endpoint {
  const [instanceId = '', component = '-', kind = 'telemetry', ...rest] = id.split('/')
  return { instanceId, component, kind: kind as Kind, name: rest.join('/') }
}

export const formatEndpoint = ({ instanceId, component, kind, name }: Endpoint) =>
  `${instanceId}/${component}/${kind}/${name}`

/** The label of an endpoint; it names the component unless that is the root. */
export const labelEndpoint = ({ component, name }: Pick<Endpoint, 'component' | 'name'>) =>
  component === '-' ? name : `${component} · ${name}`

/** A source of a binding: an endpoint from which it reads. */
export interface Source {
  /** The name of its value in the transform. */
  name: string
  instanceId: string
  component: string
  signal: string
}

/** A binding as it is edited. The transforms are texts, which may be invalid JSON while the user types. */
export interface DraftValues {
  sources: Source[]
  transform: string
  inverse: string
}

export const writeLogic = (logic: unknown) => (logic === null || logic === undefined ? '' : writeJson(logic))

export const startValues = (binding: Binding | undefined, endpoint: Endpoint): DraftValues => ({
  sources: binding?.remoteEndpointIds.map(readSource) ?? [
    { name: 'value', instanceId: '', component: endpoint.component, signal: endpoint.name },
  ],
  transform: writeLogic(binding?.transform),
  inverse: writeLogic(binding?.inverseTransform),
})

export function readSource({ name, endpointId }: { name: string; endpointId: string }): Source {
  const { instanceId, component, name: signal } = parseEndpoint(endpointId)
  return { name, instanceId, component, signal }
}

/** @returns undefined if the text is not a JSON object; null if there is no transform */
function readLogic(text: string): Record<string, unknown> | null | undefined {
  if (text.trim() === '') return null
  try {
    const logic: unknown = JSON.parse(text)
    return typeof logic === 'object' && logic !== null && !Array.isArray(logic)
      ? (logic as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** The body of the bind request; undefined while a transform is not a JSON object. */
export function writeEntry(
  { sources, transform, inverse }: DraftValues,
  endpoint: Endpoint,
  binding: Binding | undefined,
): BindingEntry | undefined {
  const [logic, inverseLogic] = [readLogic(transform), readLogic(inverse)]
  if (logic === undefined || inverseLogic === undefined) return undefined
  return {
    localEndpointId: formatEndpoint(endpoint),
    remoteEndpointIds: sources.map(({ name, instanceId, component, signal }) => ({
      name,
      endpointId: formatEndpoint({
        instanceId,
        component: component || '-',
        kind: endpoint.kind,
        name: signal,
      }),
    })),
    ...(binding !== undefined && { bindingType: binding.bindingType }),
    transform: logic,
    inverseTransform: inverseLogic,
  }
}

/** A row of the list: an endpoint of the model, with its binding if there is one. */
export interface EndpointRow extends Endpoint {
  id: string
  state: 'failing' | 'bound' | 'unbound' | 'ignored'
  binding: Binding | undefined
}

export function listRows({ bindings, ignoreEndpointIds, unboundEndpointIds }: BindingSet): EndpointRow[] {
  const bound = new Set(bindings.map(({ localEndpointId }) => localEndpointId))
  const rows = [
    ...bindings.map((binding) => ({
      id: binding.localEndpointId,
      state: binding.lastError === undefined ? ('bound' as const) : ('failing' as const),
      binding,
    })),
    ...unboundEndpointIds.map((id) => ({ id, state: 'unbound' as const, binding: undefined })),
    ...ignoreEndpointIds
      .filter((id) => !bound.has(id))
      .map((id) => ({ id, state: 'ignored' as const, binding: undefined })),
  ]
  return rows
    .map((row) => ({ ...row, ...parseEndpoint(row.id) }))
    .toSorted((a, b) => byText(a.component, b.component) || byText(a.kind, b.kind) || byText(a.name, b.name))
}

const byText = (a: string, b: string) => a.localeCompare(b)
