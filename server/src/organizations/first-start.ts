/**
 * The first start creates the tenant `default` and one administrator, who also owns the environment.
 * [docs/organizations#tenants]
 */
import { randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { ENVIRONMENT_ID, insertRelations } from '../access/relations/store.ts'
import type { Config } from '../config.ts'
import type { Tables } from '../database/tables.ts'
import { updateUser } from '../users/store.ts'
import { createTenant } from './tenants/create-tenant.ts'

export interface FirstAdministrator {
  email: string
  /** Present only if it was generated; it is shown once. */
  password?: string
}

/** @returns undefined if a tenant exists already */
export async function ensureFirstTenant(
  db: Kysely<Tables>,
  config: Pick<Config, 'adminEmail' | 'adminPassword'>,
): Promise<FirstAdministrator | undefined> {
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('gangway first tenant'))`.execute(tx)
    if (await tx.selectFrom('tenants').select('id').limit(1).executeTakeFirst()) return undefined
    const madeUp = config.adminPassword ? undefined : randomBytes(15).toString('base64url')
    const { userId } = await createTenant(tx, {
      id: 'default',
      displayName: 'Default',
      plan: 'standard',
      administrator: {
        displayName: 'Administrator',
        email: config.adminEmail,
        password: config.adminPassword ?? madeUp!,
      },
    })
    await updateUser(tx, 'default', userId, { made_by_other: false })
    await insertRelations(tx, 'default', [
      {
        subjectType: 'user',
        subjectId: userId,
        resourceType: 'environment',
        resourceId: ENVIRONMENT_ID,
        relation: 'owner',
      },
    ])
    return { email: config.adminEmail, ...(madeUp && { password: madeUp }) }
  })
}
