/**
 * Writes closed days to the lake: days that are missing there, and days that changed since. A file is written before its
 * entry in the manifest, so that an interrupted run writes the day again. [docs/lake#days]
 */
import type { Context } from '../../context.ts'
import { createMeasure } from '../../resources/files/measure.ts'
import { DAY_MS, dayNumber } from '../storage/partition-names.ts'
import { writeDayContent } from './day-content.ts'
import type { LakeStorage } from './lake-storage.ts'
import { type DayStates, listDayStates } from './list-days.ts'
import {
  dayFile,
  formatDay,
  type LakeDay,
  readManifest,
  tenantFolder,
  writeManifest,
  writeManifestDay,
} from './manifest.ts'

/** A day is written so long after its end, and once it is packed. */
const CLOSED_MS = 7 * 3_600_000
/** Days that late samples change all the time are written no more often than this. */
export const REWRITE_MS = 6 * 3_600_000
/** Days of a tenant before it is the turn of the next one. */
const DAYS_A_TURN = 5
/** Failures of one tenant in a run. */
const MAX_FAILURES = 3
const UNFINISHED_MS = 86_400_000

export type LakeContext = Pick<Context, 'db' | 'pool' | 'log' | 'queries'> & { lake: LakeStorage }

export interface LakeRun {
  signal: AbortSignal
  /** The present time. A run may take hours. */
  now?: () => number
}

interface Tenant {
  id: string
  number: number
  retentionDays: number | null
}

/** @returns the number of days that were written or deleted */
export async function writeLake(ctx: LakeContext, { signal, now = Date.now }: LakeRun): Promise<number> {
  await sweep(ctx, now())
  let all = 0
  const dueByTenant = new Map<string, DueDay[]>()
  const failures = new Map<string, number>()
  const attempt = async (id: string, work: () => Promise<number>) => {
    signal.throwIfAborted()
    try {
      all += await work()
    } catch (error) {
      signal.throwIfAborted()
      const text = 'telemetry could not be written to the lake; the next run tries again'
      ctx.log.warn({ err: error, tenant: id }, text)
      failures.set(id, (failures.get(id) ?? 0) + 1)
    }
  }
  for (const id of await listTenants(ctx))
    await attempt(id, async () => {
      const { due, deleted } = await planTenant(ctx, id, now)
      dueByTenant.set(id, due)
      return deleted
    })
  // Tenants take turns, so that one with years to write does not hold up the others.
  while (dueByTenant.size > 0)
    for (const [id, due] of dueByTenant) {
      const turn = due.splice(0, DAYS_A_TURN)
      // The storage is probably away, and not a single day at fault.
      if (turn.length === 0 || (failures.get(id) ?? 0) >= MAX_FAILURES) dueByTenant.delete(id)
      for (const day of turn)
        await attempt(id, async () => {
          using query = ctx.queries.open(id, 'database')
          return await writeDay(ctx, id, { ...day, signal, now, queryDb: query.db })
        })
    }
  return all
}

/** Not every account of a storage may list unfinished uploads. */
const sweep = ({ lake, log }: LakeContext, nowMs: number): Promise<void> =>
  lake.deleteUnfinished(new Date(nowMs - UNFINISHED_MS)).catch((error: Error) => {
    log.warn({ reason: error.message }, 'unfinished files of the lake could not be deleted')
  })

async function listTenants({ db }: LakeContext): Promise<string[]> {
  const rows = await db
    .selectFrom('tenants')
    .select('id')
    .where('deletion_started_at', 'is', null)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

const findTenant = ({ db }: Pick<LakeContext, 'db'>, id: string): Promise<Tenant | undefined> =>
  db
    .selectFrom('tenants')
    .select(['id', 'number', 'telemetry_retention_days as retentionDays'])
    .where('id', '=', id)
    .where('deletion_started_at', 'is', null)
    .executeTakeFirst()

interface DueDay {
  day: number
  state: string
}

/** Deletes the days that have no samples any more. @returns the days to write, and the number of deleted days */
async function planTenant(
  ctx: LakeContext,
  id: string,
  now: () => number,
): Promise<{ due: DueDay[]; deleted: number }> {
  using query = ctx.queries.open(id, 'database')
  const number = (await findTenant(ctx, id))?.number
  if (number === undefined) return { due: [], deleted: 0 }
  const days = await listDayStates({ db: query.db, pool: ctx.pool }, number)
  // The retention is read after the days: a day that it deletes meanwhile would count as one whose samples were deleted.
  const tenant = await findTenant(ctx, id)
  if (!tenant) return { due: [], deleted: 0 }
  const nowMs = now()
  const known = await keepPastDays(ctx.lake, tenant, nowMs)
  const written = await listWrittenDays(ctx, number)
  const gone = listGone(known, days, written)
  for (const day of gone) await deleteDay(ctx, tenant, day)
  const { due, less } = listDue(known, days, { written, nowMs })
  if (less.length > 0)
    ctx.log.warn({ tenant: id, days: less.length, newest: formatDay(less[0]!) }, LESS_THAN_LAKE)
  return { due, deleted: gone.length }
}

/** Lists the days that this database has written; those of a lost database have no samples here and stay in the lake. */
async function listWrittenDays({ db }: LakeContext, tenantNumber: number): Promise<Set<number>> {
  const rows = await db
    .selectFrom('lake_days')
    .select('day')
    .where('tenant_number', '=', tenantNumber)
    .execute()
  return new Set(rows.map(({ day }) => parseDay(day)))
}

/** What the retention deletes from the database stays in the lake. */
async function keepPastDays(lake: LakeStorage, { id, retentionDays }: Tenant, nowMs: number) {
  const manifest = await readManifest(lake, id)
  const firstKept = firstKeptDay(retentionDays, nowMs)
  const days = manifest.days.map((one) => (one.day < firstKept ? { ...one, isFinal: true } : one))
  const isChanged = days.some((one, index) => one.isFinal !== manifest.days[index]!.isFinal)
  if (isChanged) await writeManifest(lake, { ...manifest, days })
  return new Map(days.map((one) => [parseDay(one.day), one]))
}

/** Later days compare as greater. */
const firstKeptDay = (retentionDays: number | null, nowMs: number): string =>
  retentionDays === null ? '' : formatDay(dayNumber(nowMs - retentionDays * DAY_MS))

const parseDay = (text: string) => dayNumber(Date.parse(text))

const listGone = (
  known: Map<number, LakeDay>,
  { states, isOpen }: DayStates,
  written: Set<number>,
): number[] =>
  [...known].flatMap(([day, { isFinal }]) =>
    isFinal || states.has(day) || isOpen(day) || !written.has(day) ? [] : day,
  )

const LESS_THAN_LAKE =
  'days stay in the lake, where they have more values than in this database, which has not written them'

/**
 * The newest days come first. States are those of one database: a day that another has written is due, but only if the
 * file loses no values, since a database that was restored may have a part of the day.
 */
function listDue(
  known: Map<number, LakeDay>,
  { states, isOpen }: DayStates,
  { written, nowMs }: { written: Set<number>; nowMs: number },
): { due: DueDay[]; less: number[] } {
  const due: DueDay[] = []
  const less: number[] = []
  for (const [day, { state, values }] of [...states].toSorted(([a], [b]) => b - a)) {
    const entry = known.get(day)
    if ((day + 1) * DAY_MS + CLOSED_MS > nowMs || isOpen(day) || entry?.isFinal) continue
    if (!entry) due.push({ day, state })
    else if (!written.has(day)) {
      if (values >= entry.values) due.push({ day, state })
      else less.push(day)
    } else if (entry.state !== state && nowMs - Date.parse(entry.writtenAt) >= REWRITE_MS)
      due.push({ day, state })
  }
  return { due, less }
}

async function deleteDay({ db, lake }: LakeContext, { id, number }: Tenant, day: number): Promise<void> {
  await lake.delete(`${tenantFolder(id)}/${dayFile(day)}`)
  await writeManifestDay(lake, id, { day, entry: undefined })
  await db
    .deleteFrom('lake_days')
    .where('tenant_number', '=', number)
    .where('day', '=', formatDay(day))
    .execute()
}

interface DayWriting extends DueDay {
  signal: AbortSignal
  now: () => number
  queryDb: LakeContext['db']
}

/** @returns the number of written days */
async function writeDay(
  { db, lake, log }: LakeContext,
  id: string,
  { day, state, signal, now, queryDb }: DayWriting,
): Promise<number> {
  const tenant = await findTenant({ db }, id)
  // The samples of a day past the retention may be gone, while its file stays.
  if (!tenant || formatDay(day) < firstKeptDay(tenant.retentionDays, now())) return 0
  const { number: tenantNumber } = tenant
  const path = `${tenantFolder(id)}/${dayFile(day)}`
  let values = 0
  const measure = createMeasure()
  const content = writeDayContent(
    queryDb,
    { tenantNumber, day },
    { count: (more) => (values += more), signal },
  )
  await db
    .insertInto('lake_days')
    .values({ tenant_number: tenantNumber, day: formatDay(day) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await lake.write(path, measured(content, measure.add))
  if (!(await findTenant({ db }, id))) {
    await lake.delete(path)
    return 0
  }
  const { size: bytes, sha256 } = measure.result()
  const writtenAt = new Date().toISOString()
  const entry = { day: formatDay(day), file: dayFile(day), values, bytes, sha256, writtenAt, state }
  await writeManifestDay(lake, id, { day, entry })
  log.debug({ tenant: id, day: entry.day, values, bytes }, 'wrote a day to the lake')
  return 1
}

async function* measured(
  content: AsyncIterable<Buffer>,
  add: (chunk: Buffer) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    add(chunk)
    yield chunk
  }
}
