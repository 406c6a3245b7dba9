/** Reads one alarm and one asset from the database, for jobs that evaluate without a sample. */
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { findNewestSlot } from './evaluate.ts'
import { loadAssets, loadTenantAlarms } from './load.ts'
import type { AssetWatch } from './model-watch.ts'
import type { Rule } from './rule.ts'

export interface Watched {
  tenantId: string
  alarmId: string
  assetId: string
}

interface Found {
  rule: Rule
  asset: AssetWatch
  /** The newest sample of the signals that the alarm reads. */
  newest: { value: unknown; ms: number }
}

/** @returns undefined if the alarm does not watch the asset, or no sample of it is known */
export async function readAssetWatch(
  db: Kysely<Tables>,
  { tenantId, alarmId, assetId }: Watched,
): Promise<Found | undefined> {
  const alarms = await loadTenantAlarms(db, tenantId, alarmId)
  const [asset] = (await loadAssets(db, alarms, { assetIds: [assetId], version: 1 })) as [AssetWatch]
  const rule = [...asset.rulesBySlot.flat(), ...asset.rulesOfAll].find((one) => one.alarmId === alarmId)
  if (!rule) return undefined
  const { values, times } = asset.known
  const slot = findNewestSlot(rule, asset.known)
  if (slot === undefined || times[slot] === -Infinity) return undefined
  return { rule, asset, newest: { value: values[slot], ms: times[slot]! } }
}
