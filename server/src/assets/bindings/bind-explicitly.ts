import { localEndpointKey, parseEndpointId } from '../endpoints.ts'
import { refuse } from '../models/dtdl/document.ts'
import { ruleOf } from './rule.ts'
import type { BindRequest, EndpointBinding } from './schema.ts'
import { type BindWork, readLocalEndpoint, remoteOf } from './bind-draft.ts'

/**
 * Endpoints that were not ignored before lose their bindings; the list is remembered, and a request without one keeps it.
 * An ignored endpoint that was bound explicitly stays bound. [docs/assets#bind]
 * @throws validation_error
 */
export function ignoreEndpoints(work: BindWork, body: BindRequest): void {
  const { ignoreEndpointsIds, ignoreEndpointIds } = body
  if (ignoreEndpointsIds && ignoreEndpointIds)
    refuse('ignoreEndpointIds', 'is another spelling of ignoreEndpointsIds: give one of them')
  const [path, ids] = ignoreEndpointIds
    ? ['ignoreEndpointIds', ignoreEndpointIds]
    : ['ignoreEndpointsIds', ignoreEndpointsIds]
  if (!ids) return
  const keys = ids.map((id, i) => localEndpointKey(readLocalEndpoint(work, id, `${path}.${i}`)))
  for (const key of keys) if (!work.ignored.has(key)) work.removed.add(key)
  work.ignored = new Set(keys)
}

/** What the request says endpoint by endpoint. [docs/assets#bind] @throws validation_error */
export async function bindExplicitly(work: BindWork, entries: EndpointBinding[]): Promise<void> {
  const seen = new Set<string>()
  for (const [index, entry] of entries.entries()) {
    const path = `endpointBindings.${index}`
    const local = readLocalEndpoint(work, entry.localEndpointId, `${path}.localEndpointId`)
    const key = localEndpointKey(local)
    if (seen.has(key)) refuse(`${path}.localEndpointId`, `binds ${key}, as an entry before it does`)
    seen.add(key)
    work.removed.add(key)
    if (entry.remoteEndpointIds.length === 0) continue
    const names = entry.remoteEndpointIds.map(({ name }) => name)
    const rule = ruleOf(local.kind, names, entry, path)
    const remotes = []
    for (const [place, { name, endpointId }] of entry.remoteEndpointIds.entries()) {
      const at = `${path}.remoteEndpointIds.${place}.endpointId`
      remotes.push(
        await remoteOf(work, local, { remoteName: name, endpoint: parseEndpointId(endpointId)!, path: at }),
      )
    }
    work.drafts.set(key, { ...local, ...rule, origin: 'explicit', bindingDescriptionId: null, remotes, path })
  }
}
