import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Tables } from '../../database/tables.ts'
import { type ClientRef, present } from '../clients/store.ts'
import type { KeyColumns } from './device-keys.ts'

interface SealedKeys {
  tenant_id: string
  id: string
  organization_id: string
  primary_key_sealed: Buffer | null
  secondary_key_sealed: Buffer | null
}

/** Keys still sealed, as `openKeys` takes them. A storm asks for nothing as often, so that the statement stays prepared. */
export async function listSealedKeys(
  pool: pg.Pool,
  tenantId: string,
  providerId: string,
  clientIds: string[],
): Promise<SealedKeys[]> {
  const { rows } = await pool.query<SealedKeys>({
    name: 'sealed-keys-of-clients',
    text: `select tenant_id, id, organization_id, primary_key_sealed, secondary_key_sealed
      from provider_clients where tenant_id = $1 and provider_id = $2 and id = any($3::text[])`,
    values: [tenantId, providerId, clientIds],
  })
  return rows
}

/** Locks the client, so that rotations at one time come one after the other. */
export const getSealedKeysForUpdate = async (tx: Kysely<Tables>, ref: ClientRef) =>
  present(
    await tx
      .selectFrom('provider_clients')
      .select([
        'tenant_id',
        'id',
        'on_broker',
        'primary_key_sealed',
        'secondary_key_sealed',
        'secondary_key_hash',
      ])
      .where('tenant_id', '=', ref.tenantId)
      .where('provider_id', '=', ref.providerId)
      .where('id', '=', ref.clientId)
      .forNoKeyUpdate()
      .executeTakeFirst(),
    ref,
  )

export const updateKeys = (tx: Kysely<Tables>, ref: ClientRef, keys: Partial<KeyColumns>) =>
  tx
    .updateTable('provider_clients')
    .set({ ...keys, updated_at: new Date() })
    .where('tenant_id', '=', ref.tenantId)
    .where('provider_id', '=', ref.providerId)
    .where('id', '=', ref.clientId)
    .execute()
