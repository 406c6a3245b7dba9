/** Finds the owners that an `assetId` of a request names: an asset, a provider client, or both if they have the same id. */
import { type RawBuilder, sql } from 'kysely'
import { permissionQuestion } from '../../access/decisions/check.ts'
import type { Decisions } from '../../access/decisions/decisions.ts'
import { createVisibilityCheck } from '../../access/decisions/visible-to.ts'
import {
  beyondDashboard,
  callerSubject,
  findCallerReaches,
  requirePermission,
  requireWithinToken,
} from '../../access/require.ts'
import type { Context } from '../../context.ts'
import { executePrepared } from '../../database/execute-prepared.ts'
import type { Caller } from '../../http/access.ts'
import { ApiError, notFound } from '../../http/errors.ts'
import { encodeTexts } from '../storage/encode-arrays.ts'
import type { Owner, OwnerType } from '../storage/series-key.ts'

/** The parts of the context that timeseries requests need. */
export type TimeseriesContext = Pick<Context, 'db' | 'pool' | 'decisions' | 'queries'>

export interface ViewedOwner extends Owner {
  /** The model of an asset; null for a provider client. */
  modelId: string | null
}

/** The resource type with which access to each type of owner is checked. */
const resourceTypes = { asset: 'asset', client: 'provider_client' } as const

/** The caller's access to more ids than this is looked up as for a list, and not by a question for each. */
const MAX_QUESTIONS = 50

/**
 * The caller needs `view` on the queried owner. [docs/telemetry#queries]
 * @returns one owner or two, the asset first: a series of the asset has precedence over that of the client with the same id
 * @throws not_found, also for an owner of another tenant; forbidden if the caller may view neither
 */
export async function getOwners(
  ctx: TimeseriesContext,
  caller: Caller,
  assetId: string,
  finding?: FindingOwners,
): Promise<ViewedOwner[]> {
  return (await listOwners(askAhead(ctx, caller, assetId), caller, [assetId], finding)).get(assetId)!
}

/** Asks for the access to an owner of each type while it is not known yet which of them exist, to save a round trip. */
function askAhead(ctx: TimeseriesContext, caller: Caller, id: string): TimeseriesContext {
  const answers = new Map(
    Object.values(resourceTypes).map((type) => {
      const question = permissionQuestion(caller.tenantId, callerSubject(caller), 'view', { type, id })
      const answer = ctx.decisions.check(question)
      // Unless it is asked for, nobody waits for the answer.
      answer.catch(() => {})
      return [type as string, answer]
    }),
  )
  const check: Decisions['check'] = (question) => {
    const { resource } = question
    const answer = resource?.id === id ? answers.get(resource.type) : undefined
    return answer ?? ctx.decisions.check(question)
  }
  return { ...ctx, decisions: { ...ctx.decisions, check } }
}

/** Gets the owners of many ids, by id. @throws not_found, forbidden */
export async function listOwners(
  ctx: TimeseriesContext,
  caller: Caller,
  assetIds: string[],
  finding?: FindingOwners,
): Promise<Map<string, ViewedOwner[]>> {
  const { owners, refusals } = await findViewedOwners(ctx, caller, assetIds, finding)
  const [refusal] = refusals.values()
  if (refusal !== undefined) throw refusal
  return owners
}

/**
 * Finds the owners of many ids that the caller may view; `refusals` has the others, with not_found or forbidden.
 * @param finding the owners of the ids, if another statement reads them
 */
export async function findViewedOwners(
  ctx: TimeseriesContext,
  caller: Caller,
  assetIds: string[],
  finding?: FindingOwners,
): Promise<{ owners: Map<string, ViewedOwner[]>; refusals: Map<string, ApiError> }> {
  const ids = [...new Set(assetIds)]
  const [{ owners: found }, isVisible] = await Promise.all([
    finding ?? findOwners(ctx, caller, ids),
    ids.length > MAX_QUESTIONS ? readVisibility(ctx, caller) : nothingKnown,
  ])
  // Checks of several owners are answered together.
  const answers = await Promise.all(
    ids.map((id) => {
      const candidates = found.get(id) ?? []
      const isKnown = !caller.shown && candidates.length > 0 && candidates.every(isVisible)
      return isKnown ? candidates : viewable(ctx, caller, { id, candidates, isVisible })
    }),
  )
  const [owners, refusals] = [new Map<string, ViewedOwner[]>(), new Map<string, ApiError>()]
  for (const [index, answer] of answers.entries())
    if (answer instanceof ApiError) refusals.set(ids[index]!, answer)
    else owners.set(ids[index]!, answer)
  return { owners, refusals }
}

/** Owners of ids that are read already, whether the caller may view them or not. */
export type FindingOwners = Promise<{ owners: FoundOwners }>

/** Owners by id, the asset before the client. */
export type FoundOwners = Map<string, FoundOwner[]>

interface FoundOwner extends ViewedOwner {
  organizationId: string
}

/** False if access to the owner is to be checked. */
type Visibility = (owner: FoundOwner) => boolean

const nothingKnown: Visibility = () => false

/** @returns the owners that the caller may view, or the refusal if there are none; it names the asset if there is one */
async function viewable(
  ctx: TimeseriesContext,
  caller: Caller,
  { id, candidates, isVisible }: { id: string; candidates: FoundOwner[]; isVisible: Visibility },
): Promise<ViewedOwner[] | ApiError> {
  const { shown } = caller
  // For an asset that does not exist, too.
  if (shown && !shown.owners.has(id)) return beyondDashboard(shown)
  const refusals: ApiError[] = []
  const owners: ViewedOwner[] = []
  for (const owner of candidates)
    try {
      const resource = { type: resourceTypes[owner.ownerType], id: owner.ownerId }
      if (!isVisible(owner)) await requirePermission(ctx, caller, 'view', resource)
      owners.push(owner)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      refusals.push(error)
    }
  return owners.length > 0 ? owners : (refusals[0] ?? notFound('asset', id))
}

async function readVisibility(ctx: TimeseriesContext, caller: Caller): Promise<Visibility> {
  const types = await listOwnerTypes(caller)
  const reaches = await findCallerReaches(
    ctx,
    caller,
    types.map((type) => resourceTypes[type]),
  )
  const checks = new Map(types.map((type, index) => [type, createVisibilityCheck(reaches[index]!)]))
  return ({ ownerType, ownerId: id, organizationId }) =>
    checks.get(ownerType)?.({ id, organizationId }) ?? false
}

async function findOwners({ db }: TimeseriesContext, caller: Caller, ids: string[]) {
  const { rows } = await executePrepared(db, 'owners-named', selectOwners(caller, ids))
  return { owners: groupOwners(rows, caller) }
}

/** The owners of one type, model and organization: there are few of these. */
export interface OwnersRow {
  ownerType: OwnerType
  modelId: string | null
  organizationId: string
  ids: string[]
}

export function selectOwners({ tenantId }: Caller, ids: string[]): RawBuilder<OwnersRow> {
  const named = sql`(select ${encodeTexts(ids)}::text[])::text[]`
  return sql<OwnersRow>`
    select 'asset' as "ownerType", model_id as "modelId", organization_id as "organizationId", json_agg(id) as ids
    from assets where tenant_id = ${tenantId} and id = any(${named}) group by model_id, organization_id
    union all
    select 'client', null, organization_id, json_agg(id)
    from provider_clients where tenant_id = ${tenantId} and id = any(${named}) group by organization_id
    order by "ownerType"`
}

export function groupOwners(rows: OwnersRow[], { tenantNumber }: Caller): FoundOwners {
  const found: FoundOwners = new Map()
  for (const { ids, ...owner } of rows)
    for (const ownerId of ids) {
      const one = { tenantNumber, ownerId, ...owner }
      const same = found.get(ownerId)
      if (same) same.push(one)
      else found.set(ownerId, [one])
    }
  return found
}

/**
 * The types of owner that the caller's token covers; both for a caller without limits.
 * @throws forbidden if it covers neither
 */
export async function listOwnerTypes(caller: Caller): Promise<OwnerType[]> {
  const types: OwnerType[] = ['asset', 'client']
  const outcomes = await Promise.allSettled(
    types.map((type) => requireWithinToken(caller, resourceTypes[type])),
  )
  const within = types.filter((_type, index) => outcomes[index]!.status === 'fulfilled')
  if (within.length === 0) throw (outcomes[0] as PromiseRejectedResult).reason
  return within
}
