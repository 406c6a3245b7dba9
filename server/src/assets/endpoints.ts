/** An endpoint is where a value or a command enters or leaves an asset or a provider client. [docs/assets#endpoints] */

export const endpointKinds = ['telemetry', 'property', 'command'] as const
export type EndpointKind = (typeof endpointKinds)[number]

/** An endpoint without its instance. */
export interface LocalEndpoint {
  /** Empty for the root component. */
  componentId: string
  kind: EndpointKind
  name: string
}

export interface Endpoint extends LocalEndpoint {
  /** The id of a provider client or of an asset. */
  instanceId: string
}

export const endpointHint = 'instanceId/component/kind/name, such as pump-7/-/telemetry/temperature'

export const localEndpointHint = 'component/kind/name, such as -/telemetry/temperature'

const ROOT = '-'

/** Formats an endpoint without its instance: `component/kind/name`. */
export const localEndpointKey = ({ componentId, kind, name }: LocalEndpoint): string =>
  `${componentId || ROOT}/${kind}/${name}`

export const formatEndpointId = (endpoint: Endpoint): string =>
  `${endpoint.instanceId}/${localEndpointKey(endpoint)}`

/** @returns undefined for a malformed endpoint id. The name of a signal may contain slashes. */
export function parseEndpointId(text: string): Endpoint | undefined {
  const [instanceId, ...rest] = text.split('/')
  const local = parseLocalEndpoint(rest.join('/'))
  return instanceId && local ? { instanceId, ...local } : undefined
}

/** @param text `component/kind/name` */
export function parseLocalEndpoint(text: string): LocalEndpoint | undefined {
  const [component, kind, ...rest] = text.split('/')
  const name = rest.join('/')
  if (!component || !name || !isKind(kind)) return undefined
  return { componentId: component === ROOT ? '' : component, kind, name }
}

const isKind = (text: string | undefined): text is EndpointKind => endpointKinds.some((kind) => kind === text)
