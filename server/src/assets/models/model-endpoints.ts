/** The contents of a model that can be bound: its telemetry, properties and commands, by `component/kind/name`. */
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { type EndpointKind, endpointKinds, type LocalEndpoint, localEndpointKey } from '../endpoints.ts'
import { listModelContents } from './contents.ts'
import type { ModelContent } from './resolve.ts'
import { getModel } from './store.ts'

export type EndpointContent = Extract<ModelContent, { kind: EndpointKind }>
export type ModelEndpoints = ReadonlyMap<string, EndpointContent>

export interface ModelParts {
  endpoints: ModelEndpoints
  /** The models of its components, by the component's name. */
  components: ReadonlyMap<string, string>
}

/** @throws not_found for the model */
export async function findModelParts(
  db: Kysely<Tables>,
  tenantId: string,
  modelId: string,
): Promise<ModelParts> {
  const contents = await listModelContents(db, await getModel(db, tenantId, modelId))
  const endpoints = contents.filter(isEndpoint)
  const components = contents.filter((content) => content.kind === 'component')
  return {
    endpoints: new Map(endpoints.map((content) => [localEndpointKey(toLocalEndpoint(content)), content])),
    components: new Map(components.map((component) => [component.name, component.modelId])),
  }
}

const isEndpoint = (content: ModelContent): content is EndpointContent =>
  endpointKinds.some((kind) => kind === content.kind)

export const toLocalEndpoint = ({ componentId, kind, name }: EndpointContent): LocalEndpoint => ({
  componentId: componentId ?? '',
  kind,
  name,
})
