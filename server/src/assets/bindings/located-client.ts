import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'

export type LocatedClient = NonNullable<Awaited<ReturnType<typeof findLocatedClient>>>

/** Finds the client that a binding names by its id, with its provider. */
export const findLocatedClient = (db: Kysely<Tables>, tenantId: string, id: string) =>
  selectLocated(db).where('c.tenant_id', '=', tenantId).where('c.id', '=', id).executeTakeFirst()

export const findLocatedClientByNumber = (db: Kysely<Tables>, number: number) =>
  selectLocated(db).where('c.number', '=', number).executeTakeFirst()

const selectLocated = (db: Kysely<Tables>) =>
  db
    .selectFrom('provider_clients as c')
    .innerJoin('providers as p', (join) =>
      join.onRef('p.tenant_id', '=', 'c.tenant_id').onRef('p.id', '=', 'c.provider_id'),
    )
    .select(['c.number', 'c.id', 'c.tenant_id', 'c.provider_id', 'c.on_broker', 'p.type as provider_type'])
