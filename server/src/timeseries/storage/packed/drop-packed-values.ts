/** Removes packed values from messages that are imported again, so that only values of newer bindings are stored. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { takeTurns } from '../../../lib/take-turns.ts'
import type { SampleRow } from '../sample-row.ts'
import type { Column } from './column.ts'
import { type UnpackedRows, type PackedRows, unpackRows } from './unpacked-rows.ts'
import { type CandidatePiece, describeRow, findMessage, listCandidates } from './find-packed.ts'
import { findRow } from './merge-unpacked-rows.ts'
import { lockForChangedRows } from './pack-lock.ts'

/**
 * Locks packing until the end of the transaction.
 * @returns rows with only those values that are not packed yet; a row without such values is left out
 */
export async function dropPackedValues(tx: Kysely<Tables>, rows: SampleRow[]): Promise<SampleRow[]> {
  if (rows.length === 0) return rows
  await lockForChangedRows(tx)
  const left = new Map(rows.map((row) => [row, row]))
  const wanted = rows.map(describeRow)
  const turn = takeTurns()
  for (const piece of await listCandidates(tx, wanted)) {
    const packed = await readPiece(tx, piece)
    if (!packed) continue
    const known = await unpackRows(packed, turn)
    for (const place of piece.places) {
      const row = rows[place]!
      const packedRow = findMessage(known, wanted[place]!)
      if (packedRow === undefined) continue
      const missing = keepMissing(row, known, packedRow)
      if (missing.slots.length > 0) left.set(row, missing)
      else left.delete(row)
    }
  }
  return [...left.values()]
}

async function readPiece(tx: Kysely<Tables>, piece: CandidatePiece): Promise<PackedRows | undefined> {
  const { rows } = await sql<PackedRows>`
    select row_count as "rowCount", sections, ends, data from packed_rows
    where tenant_number = ${piece.tenantNumber} and stream_number = ${piece.streamNumber}
      and first_time = ${piece.firstTime}::timestamptz and first_message = ${piece.firstMessage}::bigint`.execute(
    tx,
  )
  return rows[0]
}

function keepMissing(row: SampleRow, { columns }: UnpackedRows, packedRow: number): SampleRow {
  const isMissing = row.slots.map((slot) => !hasValue(columns.get(slot), packedRow))
  return {
    ...row,
    slots: row.slots.filter((_slot, index) => isMissing[index]),
    values: row.values.filter((_value, index) => isMissing[index]),
  }
}

const hasValue = (column: Column | undefined, row: number): boolean =>
  column !== undefined && (isAmong(column.numberRows, row) || isAmong(column.otherRows, row))

const isAmong = (rows: Uint32Array, row: number) => rows[findRow(rows, row)] === row
