/** Applies binding descriptions to an asset. [docs/assets#binding-descriptions] */
import { accessIn } from '../../access/decisions/decisions.ts'
import { requirePermission } from '../../access/require.ts'
import { ApiError } from '../../http/errors.ts'
import { type LocalEndpoint, localEndpointKey, parseLocalEndpoint } from '../endpoints.ts'
import { refuse } from '../models/dtdl/document.ts'
import { defaultDescriptionId, ensureDefaultDescription } from './descriptions/default.ts'
import type { DescribedBinding } from './descriptions/schema.ts'
import type { BindingDescriptionRow } from '../../database/tables/assets.ts'
import { getDescription } from './descriptions/store.ts'
import type { DescriptionUse } from './schema.ts'
import { type BindDraft, readRemote } from './bind-draft.ts'

/**
 * Applies the descriptions in the order of the request. Endpoints that the request binds already and ignored endpoints
 * are skipped.
 * @throws validation_error; forbidden for a description that the caller may not view
 */
export async function bindDescriptions(draft: BindDraft, uses: DescriptionUse[]): Promise<void> {
  const defaults = await ensureDefaults(draft, uses)
  for (const [index, use] of uses.entries()) {
    const path = `bindingDescriptions.${index}`
    const description = defaults.get(use) ?? (await getVisible(draft, use.bindingDescriptionId!, path))
    const bindings = description.bindings as DescribedBinding[]
    const getInstanceId = readInstances(use, bindings, path)
    const componentId = readComponentId(draft, use, path)
    for (const binding of bindings) {
      const local = moveToComponent(componentId, binding.localEndpoint, path)
      const key = localEndpointKey(local)
      if (!draft.endpoints.has(key))
        refuse(path, `${description.id} binds ${key}, which the model ${draft.asset.model_id} does not have`)
      if (draft.ignored.has(key) || draft.bindings.has(key)) continue
      const remotes = []
      for (const { name, instanceName, endpoint } of binding.remotes) {
        const remote = { ...parseLocalEndpoint(endpoint)!, instanceId: getInstanceId(instanceName) }
        remotes.push(await readRemote(draft, local, { remoteName: name, endpoint: remote, path }))
      }
      const { bindingType, transform, inverseTransform } = binding
      const rule = { bindingType, transform, inverseTransform }
      const origin = { origin: 'description', bindingDescriptionId: description.id } as const
      draft.bindings.set(key, { ...local, ...rule, ...origin, remotes, path })
    }
  }
}

/** Creates missing default descriptions in the order of their ids, to avoid a deadlock between two requests. */
async function ensureDefaults(draft: BindDraft, uses: DescriptionUse[]) {
  const needed = uses.flatMap((use, index) => {
    if (use.bindingDescriptionId) return []
    const path = `bindingDescriptions.${index}`
    const { modelId, providerType } = defaultFor(draft, use, path)
    return [{ use, modelId, providerType, id: defaultDescriptionId(modelId, providerType) }]
  })
  const defaults = new Map<DescriptionUse, BindingDescriptionRow>()
  for (const { use, modelId, providerType } of needed.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const endpoints = await draft.readEndpoints(modelId)
    defaults.set(
      use,
      await ensureDefaultDescription(draft.tx, draft.caller, { modelId, providerType, endpoints }),
    )
  }
  return defaults
}

/**
 * A default description exists only for a single instance that is a provider client. [docs/assets#binding-descriptions]
 */
function defaultFor(draft: BindDraft, use: DescriptionUse, path: string) {
  const instances = use.instances.map(({ instanceId }) => draft.instances.get(instanceId)!)
  const [instance] = instances
  if (instances.length > 1 || instance?.type !== 'client')
    return refuse(
      path,
      'has no bindingDescriptionId, and there is a default only for one instance that is a provider client',
    )
  const componentId = readComponentId(draft, use, path)
  const modelId = componentId ? draft.components.get(componentId)! : draft.asset.model_id
  return { modelId, providerType: instance.providerType }
}

async function getVisible(
  { tx, caller }: BindDraft,
  id: string,
  path: string,
): Promise<BindingDescriptionRow> {
  try {
    await requirePermission(accessIn(tx), caller, 'view', { type: 'binding_description', id })
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'not_found') throw error
    refuse(`${path}.bindingDescriptionId`, `there is no binding description ${id}`)
  }
  return getDescription(tx, caller.tenantId, id)
}

/** @returns a function from an instance name to its id; a default description accepts any name for its one instance */
function readInstances(use: DescriptionUse, bindings: DescribedBinding[], path: string) {
  const single = use.bindingDescriptionId ? undefined : use.instances[0]!.instanceId
  const ids = new Map(use.instances.map(({ instanceName, instanceId }) => [instanceName, instanceId]))
  if (ids.size < use.instances.length) refuse(`${path}.instances`, 'names one instanceName twice')
  const needed = new Set(bindings.flatMap(({ remotes }) => remotes.map(({ instanceName }) => instanceName)))
  const missing = [...needed].find((name) => !ids.has(name))
  if (missing !== undefined && single === undefined)
    refuse(`${path}.instances`, `must name an instance ${missing}, which the description binds to`)
  return (name: string) => single ?? ids.get(name)!
}

/** Reads `pump-7/-/component/motor` or its short form `pump-7/motor`. @returns '' for the root component */
function readComponentId(
  draft: BindDraft,
  { localComponentEndpointId: id }: DescriptionUse,
  path: string,
): string {
  if (id === undefined || id === null) return ''
  const [, instanceId, name] = /^([^/]+)\/(?:-\/component\/)?([^/]+)$/.exec(id) ?? []
  if (instanceId === draft.asset.id && name === '-') return ''
  if (instanceId !== draft.asset.id || !draft.components.has(name!))
    refuse(
      `${path}.localComponentEndpointId`,
      `must be a component of the asset, as in ${draft.asset.id}/-/component/motor`,
    )
  return name!
}

function moveToComponent(componentId: string, key: string, path: string): LocalEndpoint {
  const local = parseLocalEndpoint(key)!
  if (!componentId) return local
  if (local.componentId) refuse(path, `binds ${key}, and a component has no components of its own`)
  return { ...local, componentId }
}
