/**
 * Small worlds of relations for tests, each in its own tenant, written as text: `user:ann viewer asset:pump`.
 * Users and groups are created when they are named; organizations and objects by their `parent`.
 */
import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { privileges } from '../../src/access/privileges.ts'
import {
  deleteRelation,
  ENVIRONMENT_ID,
  insertRelations,
  type RelationTuple,
} from '../../src/access/relations/store.ts'
import type { Resource, Subject } from '../../src/access/decisions/access-sql.ts'
import type { Relation, ResourceType, SubjectType } from '../../src/access/schema.ts'
import type { Tables } from '../../src/database/tables.ts'

export interface World {
  tenantId: string
  subject(text: string): Subject
  resource(text: string): Resource
  tuple(text: string): RelationTuple
  insert(tuples: string[]): Promise<void>
  delete(tuples: string[]): Promise<void>
}

/** @param granted the privileges of organizations and of the tenant (`tenant`) that do not have all */
export async function makeWorld(
  db: Kysely<Tables>,
  tenantId: string,
  tuples: string[],
  granted: Record<string, string[]> = {},
): Promise<World> {
  const getId = (type: string, name: string) => {
    if (type === 'tenant') return tenantId
    if (type === 'environment') return ENVIRONMENT_ID
    return type === 'organization' ? makeUuid(`${tenantId} ${name}`) : name
  }
  const thing = <T>(text: string) => {
    const [type = '', name = ''] = text.split(':')
    return { type: type as T, id: getId(type, name) }
  }
  const tuple = (text: string): RelationTuple => {
    const [subject = '', relation, resource = ''] = text.split(' ')
    const [from, to] = [thing<SubjectType>(subject), thing<ResourceType>(resource)]
    return {
      subjectType: from.type,
      subjectId: from.id,
      relation: relation as Relation,
      resourceType: to.type,
      resourceId: to.id,
    }
  }
  const grantedPrivileges = (name: string) => granted[name] ?? [...privileges]
  const insert = async (texts: string[]) => {
    const all = texts.map(tuple)
    const organizations = texts.flatMap((text) => /parent organization:(\S+)/.exec(text)?.[1] ?? [])
    for (const name of organizations)
      await db
        .insertInto('organizations')
        .values({
          id: getId('organization', name),
          tenant_id: tenantId,
          display_name: name,
          privileges: grantedPrivileges(name),
        })
        .onConflict((oc) => oc.doNothing())
        .execute()
    const named = texts.flatMap((text) => text.split(' ')).filter((word) => /^(user|group):/.test(word))
    await insertRelations(db, tenantId, [...all, ...named.map((word) => tuple(`tenant parent ${word}`))])
  }

  await db
    .insertInto('tenants')
    .values({ id: tenantId, display_name: tenantId, privileges: grantedPrivileges('tenant') })
    .execute()
  if (tuples.length > 0) await insert(tuples)
  return {
    tenantId,
    subject: (text) => thing<SubjectType>(text),
    resource: (text) => thing<ResourceType>(text),
    tuple,
    insert,
    delete: async (texts) => {
      for (const text of texts)
        if (!(await deleteRelation(db, tenantId, tuple(text)))) throw new Error(`${text} is not there`)
    },
  }
}

/** Only organizations must have UUIDs. */
export const makeUuid = (name: string) =>
  createHash('sha256')
    .update(name)
    .digest('hex')
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
