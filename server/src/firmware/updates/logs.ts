import type { UpdateLog } from '../../database/tables/firmware.ts'

/** An update keeps only its newest logs, because the number of reports is unlimited. */
export const MAX_LOGS = 50
const MAX_MESSAGE_LENGTH = 1000

export const makeLog = (level: UpdateLog['level'], message: string, step: number): UpdateLog => ({
  timestamp: new Date().toISOString(),
  message: message.slice(0, MAX_MESSAGE_LENGTH),
  level,
  step,
})

/** Omits a repetition of the last message. */
export function appendLog(logs: UpdateLog[], log: UpdateLog): UpdateLog[] {
  const last = logs.at(-1)
  if (last?.message === log.message && last.step === log.step) return logs
  return [...logs, log].slice(-MAX_LOGS)
}
