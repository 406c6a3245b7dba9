import { checkMany, permissionQuestion } from '../../access/decisions/check.ts'
import { coalesce } from '../../lib/coalesce.ts'
import type { Runtime } from '../../runtime.ts'
import { findBelow } from './find-below.ts'
import { type Content, readContent, type Variable } from './read-content.ts'
import { createContentReader, type ReadContents } from './read-contents.ts'
import type { Shown } from './shown.ts'

/** Variables of places that are followed. */
const MOST_PLACES = 20
/** Assets that a token reads, and rules, so that each of its requests stays cheap. [docs/dashboards#tokens] */
const MAX_NAMED = 1_000

interface Viewer {
  tenantId: string
  userId: string
}

interface Asked extends Viewer {
  dashboardId: string
}

type ShownContext = Pick<Runtime, 'db' | 'pool'> & { readContents: ReadContents }

/**
 * Finds what a dashboard shows now: with the dashboards in it that the user may view, which use its variables
 * and, of names that it has not, their own; all with the values that they have at first. Concurrent questions about one dashboard are answered together.
 * @returns a function that returns undefined if there is no such dashboard, or the user may not view it
 */
export function createShownFinder({
  db,
  pool,
}: Pick<Runtime, 'db' | 'pool'>): (asked: Asked) => Promise<Shown | undefined> {
  const ctx = { db, pool, readContents: createContentReader(pool) }
  const find = coalesce((all: Asked[]) => findEachOnce(ctx, all), { maxBatch: 50, concurrency: 4 })
  return async (asked) => {
    const result = await find(asked)
    if (result.status === 'rejected') throw result.reason
    return result.value
  }
}

/** A failure concerns its own dashboard alone. */
function findEachOnce(ctx: ShownContext, all: Asked[]): Promise<PromiseSettledResult<Shown | undefined>[]> {
  const begun = new Map<string, Promise<Shown | undefined>>()
  const find = (asked: Asked) => {
    const key = `${asked.userId} ${asked.dashboardId}`
    const result = begun.get(key) ?? findShown(ctx, asked)
    begun.set(key, result)
    return result
  }
  return Promise.allSettled(all.map(find))
}

async function findShown(ctx: ShownContext, { dashboardId, ...viewer }: Asked): Promise<Shown | undefined> {
  const [mayView] = await listVisible(ctx, viewer, [dashboardId])
  if (mayView === undefined) return undefined
  const [own] = await ctx.readContents(viewer.tenantId, [dashboardId])
  // A dashboard that is too large to be read shows nothing but itself.
  const { dashboardIds, variables, ...content } = own?.content ?? readContent(undefined)
  const inside = await ctx.readContents(viewer.tenantId, await listVisible(ctx, viewer, dashboardIds))
  const contents = [content, ...inside.map((each) => each.content)]
  const owners = contents.flatMap((each) => each.owners)
  const values = await findValues(ctx, viewer, listBound({ variables, owners }, inside))
  return {
    dashboardId,
    // A dashboard in a dashboard shows no third one.
    dashboards: new Set([dashboardId, ...inside.map(({ id }) => id)]),
    owners: firstOf([...owners.flatMap(({ assetId }) => assetId ?? []), ...values.assetIds]),
    nodes: new Set(values.nodeIds),
    resources: new Set(contents.flatMap(({ resourceIds }) => resourceIds)),
    alarmIds: listAlarmIds(contents),
  }
}

/**
 * The variables whose values are read: those of the dashboard, for all widgets, and those that a dashboard in it has
 * alone, for its own widgets.
 */
function listBound(outer: Pick<Content, 'variables' | 'owners'>, inside: { content: Content }[]): Variable[] {
  const outerNames = new Set(outer.variables.map(({ name }) => name))
  const inner = inside.flatMap(({ content: { variables, owners } }) =>
    listUsed(
      variables.filter(({ name }) => !outerNames.has(name)),
      owners,
    ),
  )
  return [...listUsed(outer.variables, outer.owners), ...inner]
}

/** Widgets may name a variable many times, and a variable many assets. */
function listUsed(variables: Variable[], owners: Content['owners']): Variable[] {
  const named = new Set(owners.map(({ variable }) => variable))
  // The console reads the tree for each place, also where no widget uses it.
  return variables.filter(({ name, kind }) => kind === 'node' || named.has(name))
}

const firstOf = (ids: string[]): Set<string> => new Set([...new Set(ids)].slice(0, MAX_NAMED))

function listAlarmIds(contents: Pick<Content, 'alarmLists'>[]): Shown['alarmIds'] {
  const lists = contents.flatMap(({ alarmLists }) => alarmLists)
  const ids = lists.flatMap(({ alarmIds }) => alarmIds ?? [])
  return lists.some(({ alarmIds }) => alarmIds === null) ? 'all' : firstOf(ids)
}

/** Whoever changes a dashboard that the user may not view cannot add to what the user's token reads. */
async function listVisible(
  { pool }: ShownContext,
  { tenantId, userId }: Viewer,
  ids: string[],
): Promise<string[]> {
  if (ids.length === 0) return []
  const subject = { type: 'user' as const, id: userId }
  const may = await checkMany(
    pool,
    ids.map((id) => permissionQuestion(tenantId, subject, 'view', { type: 'dashboard', id })),
  )
  return ids.filter((_id, index) => may[index])
}

/** The assets that variables name, and the places among their values with those below them. */
async function findValues(ctx: ShownContext, viewer: Viewer, variables: Variable[]) {
  const places = variables.filter(({ kind }) => kind === 'node').slice(0, MOST_PLACES)
  const below = await findBelow(
    ctx,
    viewer,
    places.flatMap(({ value }) => value[0]?.toLowerCase() ?? []),
  )
  const listBelow = (type: 'node' | 'asset') =>
    below.filter((place) => place.type === type).map(({ id }) => id)
  const chosen = variables.flatMap(({ kind, value }) => (kind === 'node' ? [] : value))
  return { assetIds: [...chosen, ...listBelow('asset')], nodeIds: listBelow('node') }
}
