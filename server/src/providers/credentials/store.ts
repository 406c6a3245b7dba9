import type { Kysely } from 'kysely'
import type pg from 'pg'
import { listIfYes } from '../../access/decisions/check.ts'
import type { Question } from '../../access/decisions/access-sql.ts'
import type { Tables } from '../../database/tables.ts'
import { orNotFound } from '../../http/errors.ts'
import type { ClientRef } from '../clients/store.ts'
import type { KeyColumns } from './device-keys.ts'

/** Sealed keys as text: nearly always they are only compared, so converting them to bytes would be wasted. */
export interface SealedKeyTexts {
  tenant_id: string
  id: string
  organization_id: string
  primary_key_sealed: string | null
  secondary_key_sealed: string | null
}

const KEY_COLUMNS = 'tenant_id, id, organization_id, primary_key_sealed::text, secondary_key_sealed::text'

/** A prepared statement, because it is the most frequent query of a boot storm. */
export async function listSealedKeys(
  pool: pg.Pool,
  tenantId: string,
  providerId: string,
  clientIds: string[],
): Promise<SealedKeyTexts[]> {
  const { rows } = await pool.query<SealedKeyTexts>({
    name: 'sealed-keys-of-clients',
    text: `select ${KEY_COLUMNS}
      from provider_clients where tenant_id = $1 and provider_id = $2 and id = any($3::text[])`,
    values: [tenantId, providerId, clientIds],
  })
  return rows
}

/** Returns the keys of those clients that belong to the question's organization, if the question is answered with yes. */
export const listSealedKeysIfAllowed = (
  pool: pg.Pool,
  question: Question,
  providerId: string,
  clientIds: string[],
): Promise<SealedKeyTexts[]> =>
  listIfYes(pool, question, {
    name: 'sealed-keys',
    rows: `select ${KEY_COLUMNS} from provider_clients
      where tenant_id = asked.tenant_id and provider_id = $2 and id = any(array(select json_array_elements_text($3::json)))
        and organization_id = asked.resource_id::uuid`,
    // JSON instead of an array: PostgreSQL would estimate the array's length and plan the statement each time.
    values: [providerId, JSON.stringify(clientIds)],
  })

/** Locks the client, so that concurrent rotations run one after the other. */
export const getSealedKeysForUpdate = async (tx: Kysely<Tables>, ref: ClientRef) =>
  orNotFound(
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
    'provider client',
    ref.clientId,
  )

export const updateKeys = (tx: Kysely<Tables>, ref: ClientRef, keys: Partial<KeyColumns>) =>
  tx
    .updateTable('provider_clients')
    .set({ ...keys, updated_at: new Date() })
    .where('tenant_id', '=', ref.tenantId)
    .where('provider_id', '=', ref.providerId)
    .where('id', '=', ref.clientId)
    .execute()
