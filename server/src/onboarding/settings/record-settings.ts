/**
 * Records when a device last fetched its settings, and with which bootstrap key. [docs/onboarding#last-use-of-a-key]
 *
 * No device waits for its record: records are collected and written in batches, one for each device. Reads call `flush`
 * first, so that they include every answered request of this node. Records of other nodes are at most `FLUSH_MS` late; a
 * crash loses the records of that time.
 */
import type { Runtime } from '../../runtime.ts'
import { type SettingsRecord, writeSettingsRecords } from './write-settings-records.ts'

const FLUSH_MS = 5_000
const MAX_BATCH = 1_000

export interface SettingsRecorder extends AsyncDisposable {
  record(settings: SettingsRecord): void
  /** Resolves once all requests that were recorded before are visible in the database. */
  flush(): Promise<void>
}

export function createSettingsRecorder(
  { pool, log }: Pick<Runtime, 'pool' | 'log'>,
  flushMs = FLUSH_MS,
): SettingsRecorder {
  let pending = new Map<string, SettingsRecord>()
  let timer: NodeJS.Timeout | undefined
  // One statement at a time, because two could lock the same devices in different orders and deadlock.
  let writing = Promise.resolve()

  const writePending = async () => {
    clearTimeout(timer)
    timer = undefined
    const batch = [...pending.values()]
    pending = new Map()
    for (let from = 0; from < batch.length; from += MAX_BATCH)
      await writeSettingsRecords(pool, batch.slice(from, from + MAX_BATCH)).catch((error) => {
        for (const settings of batch.slice(from)) keep(settings)
        throw error
      })
  }
  /** A newer record of the device stays. */
  const keep = (settings: SettingsRecord) => {
    const key = `${settings.groupId} ${settings.deviceId}`
    if (!pending.has(key)) pending.set(key, settings)
    schedule()
  }
  const flush = () => (writing = writing.catch(() => undefined).then(writePending))
  const flushLater = () =>
    void flush().catch((err) => log.warn({ err }, 'settings requests are not recorded yet'))
  const schedule = () => (timer ??= setTimeout(flushLater, flushMs).unref())

  return {
    record(settings) {
      pending.set(`${settings.groupId} ${settings.deviceId}`, settings)
      schedule()
      if (pending.size === MAX_BATCH) flushLater()
    },
    flush,
    [Symbol.asyncDispose]: async () => {
      await flush().catch((err) => log.error({ err }, 'settings requests were not recorded'))
      clearTimeout(timer)
    },
  }
}
