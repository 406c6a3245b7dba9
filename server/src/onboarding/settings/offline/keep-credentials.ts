/** Keeps the answers of providers for the time without them, off the path of the device's answer. */
import type { Runtime } from '../../../runtime.ts'
import { coalesce } from '../../../lib/coalesce.ts'
import type { Credentials } from '../../provider-api/provider-api.ts'
import { deleteCredentials, findCredentials, type RegisteredPlace, upsertCredentials } from './store.ts'

/** Unchanged keys are confirmed in the database after this share of their greatest age, and at least every hour. */
const CONFIRM_SHARE = 0.1
const CONFIRM_SECONDS = 3600

interface Answer extends RegisteredPlace {
  /** Undefined if the provider has no such device. */
  credentials: Credentials | undefined
  receivedAt: Date
  maxAgeSeconds: number
}

export type KeepCredentials = (answer: Answer) => void

export function createCredentialsKeeper({
  pool,
  sealer,
  log,
}: Pick<Runtime, 'pool' | 'sealer' | 'log'>): KeepCredentials {
  const write = async (answers: Answer[]) => {
    try {
      // The last answer for a registration of a device counts.
      const latest = [...new Map(answers.map((one) => [registrationKey(one), one])).values()]
      const gone = latest.filter(({ credentials }) => !credentials)
      if (gone.length > 0) await deleteCredentials(pool, gone)
      const known = latest.flatMap(({ credentials, ...one }) =>
        credentials ? [{ ...one, credentials }] : [],
      )
      const stored = await findCredentials({ pool, sealer, log }, known)
      const changed = known.filter(({ credentials, maxAgeSeconds }, index) => {
        const row = stored[index]
        return (
          !row ||
          row.primaryKey !== credentials.primaryKey ||
          row.secondaryKey !== credentials.secondaryKey ||
          row.ageSeconds > Math.min(CONFIRM_SECONDS, maxAgeSeconds * CONFIRM_SHARE)
        )
      })
      if (changed.length > 0) await upsertCredentials(pool, sealer, changed)
    } catch (err) {
      log.warn({ err }, 'keys of devices for offline settings were not stored')
    }
    return answers.map(() => undefined)
  }
  // One batch after the other, so that an older answer does not replace a newer one.
  const keep = coalesce(write, { maxBatch: 500, concurrency: 1, gathers: true })
  return (answer) => void keep(answer)
}

const registrationKey = ({ groupId, deviceId, registeredAt }: Answer) =>
  `${groupId} ${deviceId} ${registeredAt}`
