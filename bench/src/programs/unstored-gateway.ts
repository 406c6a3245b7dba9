/**
 * The server's gateway in a process of its own, in front of a store that keeps nothing: each message is acknowledged at once.
 * It shows what devices could send at most, whatever storing costs.
 */
import { readConfig } from '@gangway/server/dist/config.js'
import { createContext } from '@gangway/server/dist/context.js'
import { openDatabase } from '@gangway/server/dist/database/open.js'
import type { Ingest } from '@gangway/server/dist/ingest/ingest.js'
import { startMqtt } from '@gangway/server/dist/mqtt/start.js'
import { createParts } from '@gangway/server/dist/parts.js'
import { pino } from 'pino'
import { ignoreInterrupt, serve } from './serve.ts'

const acknowledge: Ingest['telemetry'] = (_message, done) => done()
const ingest: Ingest = {
  telemetry: acknowledge,
  reported: acknowledge,
  deadLetter: (_letter, done) => done(),
  settled: () => Promise.resolve(),
  longestWaitMs: () => 0,
}

const handlers = {
  /** @param environment as of a server @returns the port of the gateway */
  async start(environment: Record<string, string>) {
    const config = readConfig(environment)
    const log = pino({ level: 'fatal' }, pino.destination(2))
    const database = await openDatabase({ ...config, log })
    const ctx = await createContext(config, log, database, database.keys)
    const { commandQueue } = createParts(ctx)
    await startMqtt(ctx, { ingest, commandQueue })
    return Number(new URL(ctx.endpoints.mqtt!).port)
  },
}

export type UnstoredGatewayProgram = typeof handlers

ignoreInterrupt()
serve(handlers)
