/** The state of one bind request, collected step by step before it is written. */
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import {
  type Endpoint,
  endpointHint,
  type LocalEndpoint,
  localEndpointKey,
  parseEndpointId,
} from '../endpoints.ts'
import { fullMethodName } from '../../providers/components.ts'
import type { ProviderType } from '../../providers/provider-type.ts'
import { getProviderKind } from '../../providers/kinds/get-provider-kind.ts'
import { METHOD_NAME } from '../../providers/methods/invocation.ts'
import { refuse } from '../models/dtdl/document.ts'
import { findModelParts, type ModelEndpoints, type ModelParts } from '../models/model-endpoints.ts'
import type { AssetRow } from '../records/store.ts'
import type { Instance, Instances } from './instances.ts'
import type { Rule } from './binding-rule.ts'
import { type Binding, type BindingOrigin, listBindings, type Remote } from './store.ts'

/** A binding that will be written. */
export interface DraftBinding extends LocalEndpoint, Rule {
  origin: BindingOrigin
  bindingDescriptionId: string | null
  remotes: Remote[]
  /** The path in the request that asked for this binding. */
  path: string
}

/** The inherited fields describe the asset's own model. */
export interface BindDraft extends ModelParts {
  tx: Kysely<Tables>
  caller: Caller
  asset: AssetRow
  instances: Instances
  readEndpoints(modelId: string): Promise<ModelEndpoints>
  /** The bindings before the request. The keys of this map and of the next three fields are `component/kind/name`. */
  before: ReadonlyMap<string, Binding>
  ignored: Set<string>
  removed: Set<string>
  bindings: Map<string, DraftBinding>
}

export async function startDraft(
  tx: Kysely<Tables>,
  caller: Caller,
  asset: AssetRow,
  instances: Instances,
): Promise<BindDraft> {
  const { tenantId } = caller
  const known = new Map<string, Promise<ModelParts>>()
  const readParts = (modelId: string) => {
    const parts = known.get(modelId) ?? findModelParts(tx, tenantId, modelId)
    known.set(modelId, parts)
    return parts
  }
  const before = await listBindings(tx, tenantId, asset.id)
  return {
    tx,
    caller,
    asset,
    ...(await readParts(asset.model_id)),
    instances,
    readEndpoints: async (modelId) => (await readParts(modelId)).endpoints,
    before: new Map(before.map((binding) => [localEndpointKey(binding), binding])),
    ignored: new Set(asset.ignored_endpoints),
    removed: new Set(),
    bindings: new Map(),
  }
}

/** @throws validation_error if the id does not name an endpoint of the asset */
export function readLocalEndpoint({ asset, endpoints }: BindDraft, id: string, path: string): LocalEndpoint {
  const endpoint = parseEndpointId(id) ?? refuse(path, `must be ${endpointHint}`)
  const { instanceId, ...local } = endpoint
  if (instanceId !== asset.id) refuse(path, `must be an endpoint of the asset ${asset.id} itself`)
  if (!endpoints.has(localEndpointKey(local)))
    refuse(path, `names no content of the model ${asset.model_id}: ${localEndpointKey(local)}`)
  return local
}

/** The name of the single remote in bindings made by autobind and by generated descriptions. */
export const SINGLE_REMOTE = 'value'

const MAX_NAME_LENGTH = 256

/** Clients of type import only deliver data; no device can receive a command. */
export const acceptsCommand = (
  providerType: ProviderType,
  { componentId, name }: { componentId: string | null; name: string },
): boolean => {
  const hasModules = getProviderKind(providerType).remote !== undefined
  return providerType !== 'import' && METHOD_NAME.test(hasModules ? name : fullMethodName(componentId, name))
}

/**
 * @param endpoint names an instance that was found before
 * @throws validation_error if the local endpoint cannot be bound to it
 */
export async function readRemote(
  draft: BindDraft,
  local: LocalEndpoint,
  { remoteName, endpoint, path }: { remoteName: string; endpoint: Endpoint; path: string },
): Promise<Remote> {
  if (endpoint.kind !== local.kind)
    refuse(path, `must be of the kind ${local.kind}, as the local endpoint is`)
  const instance = draft.instances.get(endpoint.instanceId)!
  if (instance.type === 'client') checkClientEndpoint(instance, endpoint, path)
  else if (!(await draft.readEndpoints(instance.modelId)).has(localEndpointKey(endpoint)))
    refuse(path, `names no content of the model ${instance.modelId}: ${localEndpointKey(endpoint)}`)
  return { ...endpoint, remoteName, instanceType: instance.type }
}

function checkClientEndpoint(
  { providerType }: Extract<Instance, { type: 'client' }>,
  endpoint: Endpoint,
  path: string,
): void {
  const { kind, name, componentId } = endpoint
  if (kind === 'command' && !acceptsCommand(providerType, endpoint))
    refuse(path, `names a command that a client of type ${providerType} cannot take`)
  if (name.length > MAX_NAME_LENGTH || componentId.length > MAX_NAME_LENGTH)
    refuse(path, `must have names of at most ${MAX_NAME_LENGTH} characters`)
}
