/** Accounts with which devices sign in, by MQTT user name. */
import type { Context } from '../../context.ts'
import { deviceColumns, type DeviceRow, deviceTables, readDevice } from '../../ingest/device-rows.ts'
import type { Device } from '../../ingest/message.ts'
import { coalesce } from '../../lib/coalesce.ts'

export interface Account extends Device {
  enabled: boolean
  primaryKeyHash: string | null
  secondaryKeyHash: string | null
  /** Whether the device has sessions that are kept without a connection. */
  hasKeptSessions: boolean
}

/** The parts of the context that loading accounts needs. */
export type AccountParts = Pick<Context, 'pool' | 'parsers'>
export type LoadAccount = (deviceId: string) => Promise<Account | undefined>

/** All devices of a reconnect storm are looked up in a few queries. [docs/mqtt#sign-in] */
export const createAccountLoader = (parts: AccountParts): LoadAccount =>
  coalesce(
    async (deviceIds: string[]) => {
      const accounts = new Map((await listAccounts(parts, deviceIds)).map((account) => [account.id, account]))
      return deviceIds.map((id) => accounts.get(id))
    },
    { maxBatch: 500, concurrency: 2 },
  )

/** Columns of an `AccountRow`, from `deviceTables`. */
export const accountColumns = `${deviceColumns}, client.enabled,
  client.primary_key_hash as "primaryKeyHash", client.secondary_key_hash as "secondaryKeyHash",
  exists (select from mqtt_sessions where client_number = client.number) as "hasKeptSessions"`

export type AccountRow = Omit<Account, 'parse'> & DeviceRow

export async function listAccounts(parts: AccountParts, deviceIds: string[]): Promise<Account[]> {
  const { rows } = await parts.pool.query<AccountRow>({
    name: 'mqtt-accounts',
    text: `select ${accountColumns} from ${deviceTables} where client.on_broker and client.id = any($1)`,
    values: [deviceIds],
  })
  return rows.map((row) => readDevice(parts, row))
}
