import { type LocalEndpoint, localEndpointKey, parseEndpointId } from '../endpoints.ts'
import { refuse } from '../models/dtdl/document.ts'
import { readRule } from './binding-rule.ts'
import type { BindRequest, EndpointBinding } from './schema.ts'
import { type BindDraft, type DraftBinding, readLocalEndpoint, readRemote } from './bind-draft.ts'

/**
 * Newly ignored endpoints lose their bindings. The list is stored, and a request without a list keeps it. An ignored
 * endpoint that was bound explicitly stays bound. [docs/assets#bind]
 * @throws validation_error
 */
export function ignoreEndpoints(draft: BindDraft, body: BindRequest): void {
  const { ignoreEndpointsIds, ignoreEndpointIds } = body
  if (ignoreEndpointsIds && ignoreEndpointIds)
    refuse('ignoreEndpointIds', 'is another spelling of ignoreEndpointsIds: give one of them')
  const [path, ids] = ignoreEndpointIds
    ? ['ignoreEndpointIds', ignoreEndpointIds]
    : ['ignoreEndpointsIds', ignoreEndpointsIds]
  if (!ids) return
  const keys = ids.map((id, i) => localEndpointKey(readLocalEndpoint(draft, id, `${path}.${i}`)))
  for (const key of keys) if (!draft.ignored.has(key)) draft.removed.add(key)
  draft.ignored = new Set(keys)
}

/** Applies the `endpointBindings` of the request. [docs/assets#bind] @throws validation_error */
export async function bindExplicitly(draft: BindDraft, entries: EndpointBinding[]): Promise<void> {
  const seen = new Set<string>()
  for (const [index, entry] of entries.entries()) {
    const path = `endpointBindings.${index}`
    const local = readLocalEndpoint(draft, entry.localEndpointId, `${path}.localEndpointId`)
    const key = localEndpointKey(local)
    if (seen.has(key)) refuse(`${path}.localEndpointId`, `binds ${key}, as an entry before it does`)
    seen.add(key)
    draft.removed.add(key)
    if (entry.remoteEndpointIds.length === 0) continue
    draft.bindings.set(key, await readBinding(draft, local, entry, path))
  }
}

/** @param path of the entry in the request @throws validation_error */
export async function readBinding(
  draft: BindDraft,
  local: LocalEndpoint,
  entry: EndpointBinding,
  path: string,
): Promise<DraftBinding> {
  const names = entry.remoteEndpointIds.map(({ name }) => name)
  const rule = readRule(local.kind, names, entry, path)
  const remotes = []
  for (const [place, { name, endpointId }] of entry.remoteEndpointIds.entries()) {
    const remote = {
      remoteName: name,
      endpoint: parseEndpointId(endpointId)!,
      path: `${path}.remoteEndpointIds.${place}.endpointId`,
    }
    remotes.push(await readRemote(draft, local, remote))
  }
  return { ...local, ...rule, origin: 'explicit', bindingDescriptionId: null, remotes, path }
}
