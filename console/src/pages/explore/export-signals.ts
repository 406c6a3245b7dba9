/** Exports signals with the server's export, which has no result limit. [docs/telemetry#export] */
import type { Gangway } from '@gangway/client'
import { type OwnerQuery, writeBody } from './query-signals.ts'
import { groupByOwner, type Signal } from './signal.ts'

export type ExportFormat = 'csv' | 'parquet'

export interface ExportedFile {
  parts: BlobPart[]
  name: string
  type: string
}

type Query = Omit<OwnerQuery, 'ownerId' | 'signals'> & { signals: Signal[] }

/** Time until the first bytes; the rest of a file may take any time. */
const TIMEOUT_MS = 300_000
const types = { csv: 'text/csv', parquet: 'application/vnd.apache.parquet' }

/** @returns one CSV file, or a Parquet file for each owner, since Parquet files cannot be joined by appending */
export async function exportSignals(
  api: Gangway,
  query: Query,
  format: ExportFormat,
): Promise<ExportedFile[]> {
  const day = new Date(query.range.from).toISOString().slice(0, 10)
  const type = types[format]
  const read = async (ownerId: string, signals: Signal[]) =>
    api.request('post', '/v1/timeseries/get', {
      body: writeBody({ ...query, ownerId, signals }),
      headers: { accept: type },
      timeoutMs: TIMEOUT_MS,
    })
  const groups = [...groupByOwner(query.signals)]
  if (format === 'csv') {
    const parts: string[] = []
    for (const group of groups) {
      const csv = await (await read(...group)).text()
      // Each response begins with the same header line.
      parts.push(parts.length === 0 ? csv : csv.slice(csv.indexOf('\n') + 1))
    }
    return [{ parts, name: `gangway-${day}.csv`, type }]
  }
  const files: ExportedFile[] = []
  for (const [ownerId, signals] of groups) {
    const content = await (await read(ownerId, signals)).blob()
    files.push({ parts: [content], name: nameFile(ownerId, day), type })
  }
  return files
}

/** Ids of assets and clients may contain colons, which file names on Windows may not. */
const nameFile = (ownerId: string, day: string) => `gangway-${ownerId.replaceAll(':', '_')}-${day}.parquet`
