/** Loads the alarms of a tenant and the known state of assets from the database. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { ApiError } from '../../http/errors.ts'
import { latestSamples, type Point } from '../../timeseries/query/latest.ts'
import {
  type AssetWatch,
  createAssetWatch,
  type ModelWatch,
  createModelWatch,
  setOpen,
  unwatchedModel,
} from './model-watch.ts'
import type { RuleRow } from './rule.ts'

type Db = Kysely<Tables>

/** A stored sample with a time in the future counts as older than samples that arrive now. */
const FUTURE_MS = 60_000

export interface TenantAlarms {
  tenantId: string
  tenantNumber: number
  /** Models that have alarms, by id. */
  models: Map<string, ModelWatch>
}

/** @param alarmId loads only this alarm */
export async function loadTenantAlarms(db: Db, tenantId: string, alarmId?: string): Promise<TenantAlarms> {
  const tenant = await db.selectFrom('tenants').select('number').where('id', '=', tenantId).executeTakeFirst()
  const rows = await db
    .selectFrom('alarms')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('entity_type_id', 'is not', null)
    .$if(alarmId !== undefined, (q) => q.where('id', '=', alarmId!))
    .where((eb) => eb.or([eb('condition', 'is not', null), eb('no_data_seconds', '>', 0)]))
    .execute()
  const byModel = new Map<string, RuleRow[]>()
  for (const row of rows) byModel.set(row.entity_type_id!, [...(byModel.get(row.entity_type_id!) ?? []), row])
  const models = new Map([...byModel].map(([id, ofModel]) => [id, createModelWatch(ofModel)]))
  return { tenantId, tenantNumber: tenant?.number ?? 0, models }
}

/** @returns one for each id, also for assets that are missing or not watched, so that they are not loaded again */
export async function loadAssets(
  db: Db,
  { tenantId, tenantNumber, models }: TenantAlarms,
  { assetIds, version }: { assetIds: string[]; version: number },
): Promise<AssetWatch[]> {
  const rows = await db
    .selectFrom('assets')
    .select(['id', 'model_id'])
    .where('tenant_id', '=', tenantId)
    .where('id', '=', anyText(assetIds))
    .execute()
  const modelById = new Map(rows.map((row) => [row.id, models.get(row.model_id)]))
  const assets = assetIds.map((id) => createAssetWatch(id, version, modelById.get(id) ?? unwatchedModel))
  const watched = new Map(
    assets.filter(({ model }) => model.rules.length > 0).map((asset) => [asset.assetId, asset]),
  )
  if (watched.size === 0) return assets
  await loadOpen(db, tenantId, watched)
  await loadHolds(db, tenantId, watched)
  await loadValues(db, tenantNumber, watched)
  return assets
}

const anyText = (ids: Iterable<string>) => sql<string>`any(${[...ids]}::text[])`

type Watched = ReadonlyMap<string, AssetWatch>

async function loadOpen(db: Db, tenantId: string, watched: Watched) {
  const rows = await db
    .selectFrom('alarm_statuses')
    .select(['alarm_id', 'asset_id', 'state'])
    .where('tenant_id', '=', tenantId)
    .where('asset_id', '=', anyText(watched.keys()))
    .where('state', '<>', 'cleared')
    .execute()
  for (const row of rows)
    setOpen(watched.get(row.asset_id)!.known, row.alarm_id, { state: row.state, heldSinceMs: undefined })
}

async function loadHolds(db: Db, tenantId: string, watched: Watched) {
  const rows = await db
    .selectFrom('alarm_holds')
    .select(['alarm_id', 'asset_id', 'since'])
    .where('tenant_id', '=', tenantId)
    .where('asset_id', '=', anyText(watched.keys()))
    .execute()
  for (const { alarm_id, asset_id, since } of rows) {
    const { known } = watched.get(asset_id)!
    setOpen(known, alarm_id, known.open?.get(alarm_id) ?? { state: 'cleared', heldSinceMs: since.getTime() })
  }
}

async function loadValues(db: Db, tenantNumber: number, watched: Watched) {
  const names = new Set([...watched.values()].flatMap(({ model }) => model.signals.map(({ name }) => name)))
  const series = await db
    .selectFrom('series')
    .select(['number', 'owner_id', 'component_id', 'name'])
    .where('tenant_number', '=', tenantNumber)
    .where('owner_type', '=', 'asset')
    .where('owner_id', '=', anyText(watched.keys()))
    .where('name', '=', anyText(names))
    .where('type', '=', 'telemetry')
    .execute()
  const read = series.flatMap((row) => {
    const asset = watched.get(row.owner_id)!
    const slot = asset.model.slots.get(row.component_id)?.get(row.name)
    return slot === undefined ? [] : [{ asset, slot, number: row.number }]
  })
  const nowMs = Date.now()
  const latest = await readLatest(
    db,
    tenantNumber,
    read.map(({ number }) => number),
  )
  for (const { asset, slot, number } of read) {
    const point = latest.get(number)
    if (!point) continue
    asset.known.values[slot] = point.value ?? undefined
    asset.known.times[slot] = point.time <= nowMs ? point.time : nowMs - FUTURE_MS
  }
}

/** Reads in halves where the values together are too large. */
async function readLatest(db: Db, tenantNumber: number, numbers: number[]): Promise<Map<number, Point>> {
  if (numbers.length === 0) return new Map()
  try {
    return await latestSamples(db, tenantNumber, numbers)
  } catch (error) {
    if (!(error instanceof ApiError) || numbers.length === 1) throw error
    const half = Math.ceil(numbers.length / 2)
    const first = await readLatest(db, tenantNumber, numbers.slice(0, half))
    return new Map([...first, ...(await readLatest(db, tenantNumber, numbers.slice(half)))])
  }
}
