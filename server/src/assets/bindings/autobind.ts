import { localEndpointKey } from '../endpoints.ts'
import { contentsFit } from '../models/contents-fit.ts'
import { type EndpointContent, toLocalEndpoint } from '../models/model-endpoints.ts'
import type { Instance } from './instances.ts'
import { type BindDraft, SINGLE_REMOTE, acceptsCommand } from './bind-draft.ts'

/**
 * Binds each unbound endpoint to a remote endpoint with the same component, kind and name. Existing bindings stay.
 * [docs/assets#autobind]
 */
export async function autobind(draft: BindDraft, instanceIds: string[]): Promise<void> {
  for (const [index, id] of instanceIds.entries()) {
    const instance = draft.instances.get(id)!
    for (const [key, content] of draft.endpoints) {
      if (!isUnbound(draft, key) || !(await hasEndpoint(draft, instance, content))) continue
      const local = toLocalEndpoint(content)
      draft.bindings.set(key, {
        ...local,
        bindingType: 'default',
        transform: null,
        inverseTransform: null,
        origin: 'autobind',
        bindingDescriptionId: null,
        remotes: [{ ...local, instanceId: id, instanceType: instance.type, remoteName: SINGLE_REMOTE }],
        path: `autobindRemoteInstanceIds.${index}`,
      })
    }
  }
}

function isUnbound({ before, removed, bindings, ignored }: BindDraft, key: string): boolean {
  const stays = before.has(key) && !removed.has(key)
  return !stays && !bindings.has(key) && !ignored.has(key)
}

/** A client has no model and may not have sent anything yet, so it is assumed to have every endpoint of the asset. */
async function hasEndpoint(draft: BindDraft, instance: Instance, content: EndpointContent): Promise<boolean> {
  if (instance.type === 'client')
    return content.kind !== 'command' || acceptsCommand(instance.providerType, content)
  const remote = (await draft.readEndpoints(instance.modelId)).get(localEndpointKey(toLocalEndpoint(content)))
  return remote !== undefined && contentsFit(content, remote)
}
