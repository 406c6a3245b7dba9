/** An endpoint must not read from itself, directly or through other endpoints. */
import { sql } from 'kysely'
import { type Endpoint, formatEndpointId, localEndpointKey } from '../endpoints.ts'
import { refuse } from '../models/dtdl/document.ts'
import type { BindDraft } from './bind-draft.ts'

const MAX_NAMED = 20

/**
 * Runs after the bindings are written. Binds that read from assets are serialized (`findInstancesForUpdate`).
 * @throws validation_error that names the endpoints of the loop
 */
export async function refuseLoops(draft: BindDraft): Promise<void> {
  const readsAssets = [...draft.bindings.values()].some(({ remotes }) =>
    remotes.some(({ instanceType }) => instanceType === 'asset'),
  )
  if (!readsAssets) return
  const loop = findLoop(await listReads(draft))
  if (!loop) return
  const own = loop.find(({ instanceId }) => instanceId === draft.asset.id)
  const path = (own && draft.bindings.get(localEndpointKey(own))?.path) ?? 'body'
  const named = loop.map(formatEndpointId)
  const shown = named.length > MAX_NAMED ? [...named.slice(0, MAX_NAMED), '…', named.at(-1)] : named
  refuse(path, `makes an endpoint read from itself: ${shown.join(' → ')}`)
}

interface Read {
  from: Endpoint
  to: Endpoint
}

/** Lists which endpoint reads from which other one, starting from the endpoints of the asset. */
async function listReads({ tx, caller: { tenantId }, asset }: BindDraft): Promise<Read[]> {
  const { rows } = await sql<{ from: Endpoint; to: Endpoint }>`
    with recursive reached (asset_id, component_id, kind, name) as (
      select ${asset.id}::text, component_id, kind, name from asset_bindings where asset_number = ${asset.number}
      union
      select r.instance_id, r.remote_component_id, r.kind, r.remote_endpoint_name
      from reached e
      join assets a on a.tenant_id = ${tenantId} and a.id = e.asset_id
      join asset_binding_remotes r
        on (r.asset_number, r.component_id, r.kind, r.name) = (a.number, e.component_id, e.kind, e.name)
      where r.instance_type = 'asset'
    )
    select
      json_build_object('instanceId', e.asset_id, 'componentId', e.component_id, 'kind', e.kind, 'name', e.name) as from,
      json_build_object('instanceId', r.instance_id, 'componentId', r.remote_component_id, 'kind', r.kind,
        'name', r.remote_endpoint_name) as to
    from reached e
    join assets a on a.tenant_id = ${tenantId} and a.id = e.asset_id
    join asset_binding_remotes r
      on (r.asset_number, r.component_id, r.kind, r.name) = (a.number, e.component_id, e.kind, e.name)
    where r.instance_type = 'asset'`.execute(tx)
  return rows
}

/** @returns the endpoints of the loop; the first one is repeated at the end */
function findLoop(reads: Read[]): Endpoint[] | undefined {
  const targets = new Map<string, Endpoint[]>()
  for (const { from, to } of reads) append(targets, formatEndpointId(from), to)
  removeDeadEnds(targets, reads)
  // Every remaining endpoint reads from another remaining one, so any path through them returns to itself.
  let here = reads.map(({ from }) => from).find((from) => targets.has(formatEndpointId(from)))
  const path = new Map<string, Endpoint>()
  while (here && !path.has(formatEndpointId(here))) {
    path.set(formatEndpointId(here), here)
    here = targets.get(formatEndpointId(here))!.find((next) => targets.has(formatEndpointId(next)))
  }
  return here && [...[...path.values()].slice([...path.keys()].indexOf(formatEndpointId(here))), here]
}

/**
 * Removes endpoints that read from nothing, repeatedly, until none is left. It does not recurse, since paths can be
 * long.
 */
function removeDeadEnds(targets: Map<string, Endpoint[]>, reads: Read[]): void {
  const readers = new Map<string, string[]>()
  for (const { from, to } of reads) append(readers, formatEndpointId(to), formatEndpointId(from))
  const left = new Map([...targets].map(([id, read]) => [id, read.length]))
  const ends = [...readers.keys()].filter((id) => !targets.has(id))
  for (const end of ends)
    for (const reader of readers.get(end) ?? []) {
      left.set(reader, left.get(reader)! - 1)
      if (left.get(reader) === 0 && targets.delete(reader)) ends.push(reader)
    }
}

function append<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}
