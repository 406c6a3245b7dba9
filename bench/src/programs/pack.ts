/** Packs closed days in a process of its own, by the function of the server's job. */
import { createKysely, createPool } from '@gangway/server/dist/database/pool.js'
import { packSamples } from '@gangway/server/dist/timeseries/storage/packed/pack-samples.js'
import { pino } from 'pino'
import { ignoreInterrupt, serve } from './serve.ts'

const handlers = {
  /** @returns false if something is left */
  async pack(databaseUrl: string) {
    const log = pino({ level: 'fatal' }, pino.destination(2))
    const pool = createPool({ connectionString: databaseUrl }, log, { max: 4, application_name: 'bench' })
    try {
      return (await packSamples({ pool, db: createKysely(pool), log })) === undefined
    } finally {
      await pool.end()
    }
  },
}

export type PackProgram = typeof handlers

ignoreInterrupt()
serve(handlers)
