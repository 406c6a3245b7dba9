/** The server's access checks without HTTP, with a server's usual concurrency. */
import { permissionQuestion } from '@gangway/server/dist/access/decisions/check.js'
import { createDecisions, type Decisions } from '@gangway/server/dist/access/decisions/decisions.js'
import type { Permission } from '@gangway/server/dist/access/schema.js'
import { createPool } from '@gangway/server/dist/database/pool.js'
import { pino } from 'pino'
import { ignoreInterrupt, serve } from './serve.ts'

export interface Check {
  userId: string
  permission: Permission
  dashboardId: string
  /** The expected answer. */
  result: boolean
}

let decisions: Decisions

const handlers = {
  async connect(databaseUrl: string) {
    const log = pino({ level: 'fatal' }, pino.destination(2))
    decisions = createDecisions(createPool({ connectionString: databaseUrl }, log))
  },

  /** @returns checks a second; @throws for a wrong answer */
  async check(checks: Check[], atOnce: number, seconds: number) {
    const startedMs = performance.now()
    const untilMs = startedMs + seconds * 1000
    let answered = 0
    const lane = async () => {
      while (performance.now() < untilMs) await checkOne(checks[answered++ % checks.length]!)
    }
    await Promise.all(Array.from({ length: atOnce }, lane))
    return answered / ((performance.now() - startedMs) / 1000)
  },
}

export type ChecksProgram = typeof handlers

async function checkOne({ userId, permission, dashboardId, result }: Check): Promise<void> {
  const question = permissionQuestion('default', { type: 'user', id: userId }, permission, {
    type: 'dashboard',
    id: dashboardId,
  })
  if ((await decisions.check(question)) !== result)
    throw new Error(`user ${userId}, ${permission}, dashboard ${dashboardId}: the answer is not ${result}`)
}

ignoreInterrupt()
serve(handlers)
