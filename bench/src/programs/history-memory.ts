/** Does the long work on stored history in a process of its own, by the functions of the server, and watches its memory. */
import { Worker } from 'node:worker_threads'
import { createKysely, createPool } from '@gangway/server/dist/database/pool.js'
import { parquetResult } from '@gangway/server/dist/timeseries/export/parquet/parquet-result.js'
import { listItems, listSignals } from '@gangway/server/dist/timeseries/query/query.js'
import { moveFormerSamples } from '@gangway/server/dist/timeseries/storage/former/move-former.js'
import { packSamples } from '@gangway/server/dist/timeseries/storage/packed/pack-samples.js'
import { listSeriesNamed } from '@gangway/server/dist/timeseries/storage/series.js'
import { createRowTables } from '@gangway/server/dist/timeseries/storage/row-tables.js'
import { pino } from 'pino'
import { ignoreInterrupt, serve } from './serve.ts'
import { settledMemory } from './settled-memory.ts'

const MIB = 1024 * 1024

const log = pino({ level: 'fatal' }, pino.destination(2))
const open = (connectionString: string) => {
  const pool = createPool({ connectionString }, log, { max: 4, application_name: 'bench' })
  return { pool, db: createKysely(pool), log }
}
let database: ReturnType<typeof open>

export interface MostMemory {
  /** Objects and buffers in use beyond those before the work: what is left after a collection of garbage. */
  heldMebibytes: number
  /** Resident memory beyond that before the work, with compiled code, and garbage that was not collected yet. */
  residentMebibytes: number
}

/**
 * Measures while the work runs, also within its synchronous functions. Garbage is collected only if more is in use than was
 * ever held, since otherwise no more can be held: a collection at each measurement would take most of the time.
 */
async function watch(work: () => Promise<unknown>): Promise<MostMemory> {
  const sampler = new Worker(new URL('memory-sampler.js', import.meta.url))
  const before = await settledMemory()
  const most = { held: countHeld(before), rss: before.rss }
  const measure = () => {
    most.rss = Math.max(most.rss, process.memoryUsage.rss())
    if (countHeld(process.memoryUsage()) <= most.held) return
    globalThis.gc!()
    most.held = Math.max(most.held, countHeld(process.memoryUsage()))
  }
  Object.assign(globalThis, { measureMemory: measure })
  try {
    await work()
  } finally {
    await sampler.terminate()
  }
  measure()
  return {
    heldMebibytes: (most.held - countHeld(before)) / MIB,
    residentMebibytes: (most.rss - before.rss) / MIB,
  }
}

/** The buffers are a part of the external memory. */
const countHeld = ({ heapUsed, external }: NodeJS.MemoryUsage) => heapUsed + external

const handlers = {
  async connect(databaseUrl: string) {
    database = open(databaseUrl)
  },

  pack: () =>
    watch(async () => {
      if ((await packSamples(database)) !== undefined) throw new Error('not everything was packed')
    }),

  move: () =>
    watch(async () => {
      if ((await moveFormerSamples({ ...database, rowTables: createRowTables() })) !== undefined)
        throw new Error('not everything was moved')
    }),

  /** Reads the file and keeps nothing of it. */
  exportParquet: (owners: { tenantNumber: number; ownerIds: string[] }, names: string[]) =>
    watch(async () => {
      const { tenantNumber, ownerIds } = owners
      const same = ownerIds.map((ownerId) => [
        { tenantNumber, ownerType: 'client' as const, ownerId, modelId: null },
      ])
      const series = await listSeriesNamed(database.db, same.flat(), names)
      const items = listItems(listSignals(same, names, series), {
        names,
        from: 0,
        to: Date.now(),
        aggregations: [],
        intervalText: '',
      })
      for await (const _part of parquetResult(database.db, items, async () => () => {})) continue
    }),
}

export type HistoryMemoryProgram = typeof handlers

ignoreInterrupt()
serve(handlers)
