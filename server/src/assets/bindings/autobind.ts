import { localEndpointKey } from '../endpoints.ts'
import { contentsFit } from '../models/contents-fit.ts'
import { type EndpointContent, endpointOf } from '../models/model-endpoints.ts'
import type { Instance } from './instances.ts'
import { type BindWork, SINGLE_REMOTE, takesCommand } from './bind-draft.ts'

/**
 * What is still unbound is bound to what has the same component, kind and name; bindings that are there stay.
 * [docs/assets#autobind]
 */
export async function autobind(work: BindWork, instanceIds: string[]): Promise<void> {
  for (const [index, id] of instanceIds.entries()) {
    const instance = work.instances.get(id)!
    for (const [key, content] of work.endpoints) {
      if (!isUnbound(work, key) || !(await offers(work, instance, content))) continue
      const local = endpointOf(content)
      work.drafts.set(key, {
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

function isUnbound({ before, removed, drafts, ignored }: BindWork, key: string): boolean {
  const stays = before.has(key) && !removed.has(key)
  return !stays && !drafts.has(key) && !ignored.has(key)
}

/** A client has no model, so that it is taken to have what the asset has: it may not have sent anything yet. */
async function offers(work: BindWork, instance: Instance, content: EndpointContent): Promise<boolean> {
  if (instance.type === 'client')
    return content.kind !== 'command' || takesCommand(instance.providerType, content)
  const remote = (await work.endpointsOf(instance.modelId)).get(localEndpointKey(endpointOf(content)))
  return remote !== undefined && contentsFit(content, remote)
}
