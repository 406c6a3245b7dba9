/** Accounts with which devices sign in, by MQTT user name. */
import type { Context } from '../../context.ts'
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

/** Columns that `readAccount` needs, of a client and its tenant and provider. */
export const accountColumns = `
  client.number, client.id, client.tenant_id as "tenantId", tenant.number as "tenantNumber",
  client.provider_id as "providerId", client.enabled,
  client.primary_key_hash as "primaryKeyHash", client.secondary_key_hash as "secondaryKeyHash",
  exists (select from mqtt_sessions where client_number = client.number) as "hasKeptSessions",
  coalesce(client.provider_data -> 'parser', provider.provider_data -> 'parser') as parser`

export const accountTables = `
  provider_clients as client
  join tenants as tenant on tenant.id = client.tenant_id
  join providers as provider on provider.tenant_id = client.tenant_id and provider.id = client.provider_id`

export type AccountRow = Omit<Account, 'parse'> & { parser: unknown }

export const readAccount = (
  { parsers }: Pick<Context, 'parsers'>,
  { parser, ...account }: AccountRow,
): Account => ({ ...account, parse: parsers.ofStored(parser) })

export async function listAccounts(parts: AccountParts, deviceIds: string[]): Promise<Account[]> {
  const { rows } = await parts.pool.query<AccountRow>({
    name: 'mqtt-accounts',
    text: `select ${accountColumns} from ${accountTables} where client.on_broker and client.id = any($1)`,
    values: [deviceIds],
  })
  return rows.map((row) => readAccount(parts, row))
}
