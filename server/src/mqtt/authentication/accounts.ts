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
type Parts = Pick<Context, 'pool' | 'parsers'>

export type LoadAccount = (deviceId: string) => Promise<Account | undefined>

/** All devices of a reconnect storm are looked up in a few queries. [docs/mqtt#sign-in] */
export const createAccountLoader = (parts: Parts): LoadAccount =>
  coalesce(
    async (deviceIds: string[]) => {
      const accounts = new Map((await listAccounts(parts, deviceIds)).map((account) => [account.id, account]))
      return deviceIds.map((id) => accounts.get(id))
    },
    { maxBatch: 500, concurrency: 2 },
  )

export async function listAccounts({ pool, parsers }: Parts, deviceIds: string[]): Promise<Account[]> {
  const { rows } = await pool.query<Omit<Account, 'parse'> & { parser: unknown }>({
    name: 'mqtt-accounts',
    text: `
      select client.number, client.id, client.tenant_id as "tenantId", tenant.number as "tenantNumber",
        client.provider_id as "providerId", client.enabled,
        client.primary_key_hash as "primaryKeyHash", client.secondary_key_hash as "secondaryKeyHash",
        exists (select from mqtt_sessions where client_number = client.number) as "hasKeptSessions",
        coalesce(client.provider_data -> 'parser', provider.provider_data -> 'parser') as parser
      from provider_clients as client
      join tenants as tenant on tenant.id = client.tenant_id
      join providers as provider on provider.tenant_id = client.tenant_id and provider.id = client.provider_id
      where client.on_broker and client.id = any($1)`,
    values: [deviceIds],
  })
  return rows.map(({ parser, ...account }) => ({ ...account, parse: parsers.ofStored(parser) }))
}
