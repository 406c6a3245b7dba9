/** Plans which bindings name the new client instead of the old one, and finds what does not fit. */
import type { Kysely } from 'kysely'
import { accessIn } from '../../access/decisions/decisions.ts'
import { requirePermission } from '../../access/require.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import { lockReaders } from '../bindings/delete-remotes.ts'
import { goesOut, requireOnAll } from '../bindings/require-remotes.ts'
import type { Binding } from '../bindings/store.ts'
import { acceptsCommand } from '../bindings/bind-draft.ts'
import { localEndpointKey } from '../endpoints.ts'
import { refuse } from '../models/dtdl/document.ts'
import { findModelParts, type ModelEndpoints } from '../models/model-endpoints.ts'
import { getAsset } from '../records/store.ts'
import { commandProblem, parserProblems, propertyProblems } from './find-problems.ts'
import type { Problem, ReplaceDevice } from './schema.ts'
import { listBindingsTo, listClientsForReplacement, type ReplaceableClient } from './store.ts'

export interface Plan {
  from: ReplaceableClient
  to: ReplaceableClient
  assets: PlannedAsset[]
  problems: Problem[]
}

export interface PlannedAsset {
  id: string
  number: number
  endpoints: ModelEndpoints
  /** The bindings that move, before and after the replacement. */
  before: Binding[]
  after: Binding[]
}

/**
 * Locks the assets and then the clients, in the order of deletions.
 * @throws not_found, forbidden; validation_error for an id that is not a client of the asset
 */
export async function makePlan(
  tx: Kysely<Tables>,
  caller: Caller,
  assetId: string,
  body: ReplaceDevice,
): Promise<Plan> {
  const { from, to, bindings } = await readBound(tx, caller, assetId, body)
  const problems = parserProblems(from, to)
  const assets: PlannedAsset[] = []
  for (const id of listAssetIds(bindings)) {
    const asset = await planAsset(tx, caller, {
      id,
      to,
      bindings: bindings.filter((one) => one.assetId === id),
      from,
    })
    problems.push(...asset.problems)
    assets.push(asset)
  }
  if (assets.some(isWritten))
    await requirePermission(accessIn(tx), caller, 'manage', { type: 'provider_client', id: to.id })
  return { from, to, assets, problems }
}

interface Bound {
  from: ReplaceableClient
  to: ReplaceableClient
  bindings: Binding[]
}

async function readBound(
  tx: Kysely<Tables>,
  caller: Caller,
  assetId: string,
  { from: fromId, to: toId }: ReplaceDevice,
): Promise<Bound> {
  const { tenantId } = caller
  await lockReaders(tx, tenantId, { instanceType: 'client', instanceIds: [fromId] })
  const clients = await listClientsForReplacement(tx, tenantId, [fromId, toId])
  const bindings = await listBindingsTo(tx, tenantId, fromId)
  const from = clients.find(({ id }) => id === fromId)
  if (!from || !bindings.some((binding) => binding.assetId === assetId))
    return refuse('from', `must be a provider client that ${assetId} is bound to, which ${fromId} is not`)
  const to = clients.find(({ id }) => id === toId) ?? refuse('to', `there is no provider client ${toId}`)
  await requirePermission(accessIn(tx), caller, 'view', { type: 'provider_client', id: toId })
  const assets = listAssetIds(bindings).map((id) => ({ type: 'asset', id }) as const)
  await requireOnAll({ tx, caller }, 'manage', assets)
  return { from, to, bindings }
}

const listAssetIds = (bindings: Binding[]) => [...new Set(bindings.map(({ assetId }) => assetId))]

async function planAsset(
  tx: Kysely<Tables>,
  { tenantId }: Caller,
  { id, from, to, bindings }: Bound & { id: string },
): Promise<PlannedAsset & { problems: Problem[] }> {
  const { number, model_id: modelId } = await getAsset(tx, tenantId, id)
  const { endpoints } = await findModelParts(tx, tenantId, modelId)
  const findRemote = ({ remotes }: Binding) => remotes.find(({ instanceId }) => instanceId === from.id)!
  const isLeft = (one: Binding) =>
    one.kind === 'command' && !acceptsCommand(to.provider_type, findRemote(one))
  const before = bindings.filter((binding) => !isLeft(binding))
  const after = before.map((binding) => replaceClient(binding, from.id, to.id))
  const problems = [
    ...bindings.filter(isLeft).map((binding) => commandProblem(binding, to)),
    ...(await propertyProblems(tx, tenantId, { bindings: after, endpoints, to })),
  ]
  return { id, number, endpoints, before, after, problems }
}

const replaceClient = (binding: Binding, from: string, to: string): Binding => ({
  ...binding,
  error: null,
  errorAt: null,
  remotes: binding.remotes.map((remote) =>
    remote.instanceType === 'client' && remote.instanceId === from ? { ...remote, instanceId: to } : remote,
  ),
})

const isWritten = ({ after, endpoints }: PlannedAsset): boolean =>
  after.some((binding) => goesOut(endpoints.get(localEndpointKey(binding))))
