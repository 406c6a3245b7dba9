/** Samples that only the database could make quickly enough: long texts, and those of earlier versions. */
import type { Platform } from '../platform/start.ts'

const TEXT_PIECES = 32
/** A statement may run for a few seconds. */
const ROWS_A_STATEMENT = 20_000

/** SQL: a text of a kilobyte that does not compress well. */
const anyText = `(select string_agg(md5(random()::text || row || piece), '') from generate_series(1, ${TEXT_PIECES}) piece)`

export async function findStream({ pool }: Platform, device: string) {
  const { rows } = await pool.query<{ tenantNumber: number; streamNumber: number; seriesNumber: number }>(
    `select s.tenant_number as "tenantNumber", s.stream_number as "streamNumber", s.number as "seriesNumber"
     from series s where owner_id = $1 and slot = 1`,
    [device],
  )
  return rows[0]!
}

/** Stores a text each second, in the first slot of the device. Its day needs a partition. */
export async function insertTexts(
  platform: Platform,
  device: string,
  { fromMs, count }: Rows,
): Promise<void> {
  const { tenantNumber, streamNumber } = await findStream(platform, device)
  for (let first = 1; first <= count; first += ROWS_A_STATEMENT)
    await platform.pool.query(
      `insert into sample_rows (tenant_number, stream_number, time, message_id, others)
       select $1, $2, to_timestamp($3::float8 / 1000 + row), row, jsonb_build_object('1', ${anyText})
       from generate_series($4::int, $5::int) row`,
      [tenantNumber, streamNumber, fromMs, first, Math.min(count, first + ROWS_A_STATEMENT - 1)],
    )
}

interface Rows {
  fromMs: number
  count: number
}

/** Stores numbers and a text for each hundredth of them, in the tables of earlier versions. */
export async function insertFormer(
  platform: Platform,
  device: string,
  { fromMs, count }: Rows,
): Promise<void> {
  const { pool } = platform
  const { tenantNumber, seriesNumber } = await findStream(platform, device)
  for (const table of ['samples', 'samples_other']) {
    const name = `${table}_${tenantNumber}`
    await pool.query(`create table ${name} (like ${table}) partition by range (time)`)
    await pool.query(`create table ${name}_rest partition of ${name} default`)
    await pool.query(`create index on ${name}_rest (tenant_number, series_number, time)`)
    await pool.query(`alter table ${table} attach partition ${name} for values in (${tenantNumber})`)
  }
  const insert = async (table: string, { value, rows }: { value: string; rows: number }) => {
    for (let first = 1; first <= rows; first += ROWS_A_STATEMENT)
      await pool.query(
        `insert into ${table} (tenant_number, series_number, time, message_id, value)
         select $1, $2, to_timestamp($3::float8 / 1000 + row * 0.05), row, ${value}
         from generate_series($4::int, $5::int) row`,
        [tenantNumber, seriesNumber, fromMs, first, Math.min(rows, first + ROWS_A_STATEMENT - 1)],
      )
  }
  await insert('samples', { value: 'round(random() * 1000) / 10', rows: count })
  await insert('samples_other', { value: `to_jsonb(${anyText})`, rows: Math.ceil(count / 100) })
}
