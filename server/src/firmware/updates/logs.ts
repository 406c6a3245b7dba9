import type { UpdateLog } from '../../database/tables/firmware.ts'

/** The newest of an update; a device can say something new for ever. */
export const MAX_LOGS = 50
const MAX_MESSAGE_LENGTH = 1000

export const makeLog = (level: UpdateLog['level'], message: string, step: number): UpdateLog => ({
  timestamp: new Date().toISOString(),
  message: message.slice(0, MAX_MESSAGE_LENGTH),
  level,
  step,
})

/** What was said just before is not said again. */
export function withLog(logs: UpdateLog[], log: UpdateLog): UpdateLog[] {
  const last = logs.at(-1)
  if (last?.message === log.message && last.step === log.step) return logs
  return [...logs, log].slice(-MAX_LOGS)
}
