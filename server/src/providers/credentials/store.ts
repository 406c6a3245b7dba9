import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { type ClientRef, present } from '../clients/store.ts'
import type { KeyColumns } from './device-keys.ts'

/** Keys still sealed, as `openKeys` takes them. */
export const listSealedKeys = (
  db: Kysely<Tables>,
  tenantId: string,
  providerId: string,
  clientIds: string[],
) =>
  selectKeys(db, tenantId, providerId)
    .where('id', '=', (eb) => eb.fn.any(eb.val(clientIds)))
    .execute()

/** Locks the client, so that rotations at one time come one after the other. */
export const getSealedKeysForUpdate = async (tx: Kysely<Tables>, ref: ClientRef) =>
  present(
    await selectKeys(tx, ref.tenantId, ref.providerId)
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

const selectKeys = (db: Kysely<Tables>, tenantId: string, providerId: string) =>
  db
    .selectFrom('provider_clients')
    .select([
      'tenant_id',
      'id',
      'organization_id',
      'on_broker',
      'primary_key_sealed',
      'secondary_key_sealed',
      'secondary_key_hash',
    ])
    .where('tenant_id', '=', tenantId)
    .where('provider_id', '=', providerId)
