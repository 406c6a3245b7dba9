/** The manifest of a tenant lists the days in the lake. [docs/lake#manifest] */
import { startOfDay } from '../storage/partition-names.ts'
import type { LakeStorage } from './lake-storage.ts'

export interface LakeDay {
  /** UTC, such as 2026-11-22. */
  day: string
  /** Relative to the folder of the tenant. */
  file: string
  values: number
  bytes: number
  /** Hexadecimal. */
  sha256: string
  writtenAt: string
  /** Changes with the samples of the day in the database. */
  state: string
  /** Whether the day is past the retention: its file is not changed any more. */
  isFinal?: boolean
}

export interface Manifest {
  tenant: string
  /** In the order of time. */
  days: LakeDay[]
}

export const formatDay = (day: number): string => startOfDay(day).slice(0, 10)

/**
 * The names follow Hive partitions. Tenant ids consist of lower-case letters, digits and hyphens, so they need no
 * escaping.
 */
export const tenantFolder = (tenantId: string): string => `telemetry/tenant=${tenantId}`
export const dayFile = (day: number): string => `day=${formatDay(day)}/samples.parquet`

const manifestPath = (tenantId: string) => `${tenantFolder(tenantId)}/_manifest.json`

/** @returns an empty manifest if there is none, or if it cannot be read: then all days are written again */
export async function readManifest(lake: LakeStorage, tenantId: string): Promise<Manifest> {
  const bytes = await lake.read(manifestPath(tenantId))
  const manifest = bytes && parseManifest(bytes.toString())
  return manifest ?? { tenant: tenantId, days: [] }
}

function parseManifest(text: string): Manifest | undefined {
  try {
    const manifest = JSON.parse(text) as Partial<Manifest>
    return Array.isArray(manifest.days) ? (manifest as Manifest) : undefined
  } catch {
    return undefined
  }
}

/** Replaces the entry of a day. @param entry undefined removes the day */
export async function writeManifestDay(
  lake: LakeStorage,
  tenantId: string,
  { day, entry }: { day: number; entry: LakeDay | undefined },
): Promise<void> {
  const { days } = await readManifest(lake, tenantId)
  const others = days.filter((one) => one.day !== formatDay(day))
  await writeManifest(lake, { tenant: tenantId, days: entry ? [...others, entry] : others })
}

export function writeManifest(lake: LakeStorage, { tenant, days }: Manifest): Promise<void> {
  const sorted = { tenant, days: days.toSorted((a, b) => (a.day < b.day ? -1 : 1)) }
  return lake.write(manifestPath(tenant), lines(JSON.stringify(sorted, null, 1)))
}

async function* lines(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(`${text}\n`)
}

/** Deletes the files of a tenant that is being deleted, also those whose writing was interrupted before their entry. */
export async function deleteTenantFromLake(lake: LakeStorage | undefined, tenantId: string): Promise<void> {
  await lake?.deleteFolder(tenantFolder(tenantId))
}
