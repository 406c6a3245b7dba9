/**
 * One of several processes on one database. Arguments: what it does, and the address of the database. It prints a line once
 * it runs, and goes on until it is killed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createKysely, createPool } from '../../src/database/pool.ts'
import { createQueryPool } from '../../src/database/query-pool.ts'
import { moveFormerSamples } from '../../src/timeseries/storage/former/move-former.ts'
import { packSamples } from '../../src/timeseries/storage/packed/pack-samples.ts'
import { createRowTables } from '../../src/timeseries/storage/row-tables.ts'
import { testLog as log } from '../harness/log.ts'
import { timeseriesApi } from '../harness/timeseries-api.ts'

/** Later than all days that are packed, whatever the date of today. */
const packedAtMs = Math.max(Date.now(), Date.UTC(2027, 0))
/** So small that there are many transactions. */
const PACK_LIMITS = {
  rows: 7,
  cells: 30,
  streams: 2,
  pieceRows: 12,
  pieceCells: 40,
  merged: { rows: 30, cells: 100, days: 3 },
  rollups: { values: 1, valuesABucket: 0 },
}

const [role, connectionString] = process.argv.slice(2) as ['pack' | 'move' | 'answer', string]
const pool = createPool({ connectionString }, log)
const db = createKysely(pool)

async function repeat(work: () => Promise<unknown>): Promise<void> {
  console.log(role)
  for (;;) {
    await work()
    await sleep(5)
  }
}

switch (role) {
  case 'pack':
    await repeat(() => packSamples({ pool, db, log }, { limits: PACK_LIMITS, nowMs: packedAtMs }))
    break
  case 'move':
    await repeat(() =>
      moveFormerSamples(
        { pool, db, log, rowTables: createRowTables() },
        { limits: { samples: 1, bytes: 1 } },
      ),
    )
    break
  case 'answer': {
    const queryPool = createQueryPool({ connectionString }, log)
    console.log(await timeseriesApi({ pool, db, queryPool }).listening)
    setInterval(() => {}, 60_000)
  }
}
