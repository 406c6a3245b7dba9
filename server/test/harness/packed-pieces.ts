import type { Pool } from 'pg'
import { takeTurns } from '../../src/lib/take-turns.ts'
import { type UnpackedRows, unpackRows } from '../../src/timeseries/storage/packed/unpacked-rows.ts'

interface PackedPiece extends UnpackedRows {
  ownerId: string
  /** Milliseconds since 1970. */
  firstTime: number
  lastTime: number
}

export async function listPackedPieces(pool: Pool, tenantNumber: number): Promise<PackedPiece[]> {
  const { rows } = await pool.query(
    `select p.*, st.owner_id from packed_rows p join streams st on st.number = p.stream_number
     where p.tenant_number = $1 order by stream_number, first_time, first_message`,
    [tenantNumber],
  )
  return Promise.all(
    rows.map(async (row) => ({
      ...(await unpackRows({ ...row, rowCount: row.row_count }, takeTurns())),
      ownerId: row.owner_id,
      firstTime: row.first_time.getTime(),
      lastTime: row.last_time.getTime(),
    })),
  )
}

/** @returns slot, time, message and value of all samples in the pieces */
export const listPackedCells = (pieces: UnpackedRows[]): [number, number, bigint, unknown][] =>
  pieces.flatMap(({ times, messageIds, columns }) =>
    [...columns].flatMap(([slot, { numberRows, numbers, otherRows, others }]) => {
      const cell = (row: number, value: unknown): [number, number, bigint, unknown] => [
        slot,
        times[row]!,
        messageIds[row]!,
        value,
      ]
      return [
        ...Array.from(numberRows, (row, index) => cell(row, numbers[index])),
        ...Array.from(otherRows, (row, index) => cell(row, JSON.parse(others[index]!))),
      ]
    }),
  )
