/** Ids that a record refers to, each in its own row: deleting a user also removes the user from these lists. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { validationError } from '../http/errors.ts'

interface Links {
  table: keyof Tables
  /** Column with the id of the referring record. */
  of: string
  /** Column with the id that it refers to. */
  names: string
  /** Table that this id belongs to. */
  among: 'users' | 'groups' | 'alarms' | 'contact_groups'
}

export const groupUsers: Links = {
  table: 'contact_group_users',
  of: 'contact_group_id',
  names: 'user_id',
  among: 'users',
}
export const groupUserGroups: Links = {
  table: 'contact_group_user_groups',
  of: 'contact_group_id',
  names: 'group_id',
  among: 'groups',
}
export const notificationAlarms: Links = {
  table: 'notification_alarms',
  of: 'notification_id',
  names: 'alarm_id',
  among: 'alarms',
}
export const notificationContactGroups: Links = {
  table: 'notification_contact_groups',
  of: 'notification_id',
  names: 'contact_group_id',
  among: 'contact_groups',
}

/** A column with the ids, in the order in which they were given. */
export const linkedIds = (links: Links, id: string): RawBuilder<string[]> =>
  sql`array(select l.${sql.ref(links.names)} from ${sql.table(links.table)} l
    where l.${sql.ref(links.of)} = ${sql.ref(id)} order by l.place)`

/** Replaces the ids that were linked before. */
export async function updateLinks(
  tx: Kysely<Tables>,
  links: Links,
  id: string,
  ids: string[],
): Promise<void> {
  await sql`delete from ${sql.table(links.table)} where ${sql.ref(links.of)} = ${id}`.execute(tx)
  if (ids.length === 0) return
  await sql`insert into ${sql.table(links.table)} (${sql.ref(links.of)}, ${sql.ref(links.names)}, place)
    select ${id}, n.id, n.place from unnest(${ids}::uuid[]) with ordinality as n (id, place)
    on conflict do nothing`.execute(tx)
}

/**
 * Also keeps the records from being deleted until the transaction ends.
 * @throws validation_error that names the ids that do not exist
 */
export async function requireKnown(
  tx: Kysely<Tables>,
  tenantId: string,
  { links: { among }, ids, path }: { links: Links; ids: string[]; path: string },
): Promise<void> {
  if (ids.length === 0) return
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.table(among)} where tenant_id = ${tenantId} and id = any(${ids}::uuid[])
    for key share`.execute(tx)
  const known = new Set(rows.map((row) => row.id))
  refuseUnknown(
    ids.filter((id) => !known.has(id.toLowerCase())),
    path,
  )
}

const NAMED = 20

/** @throws validation_error if there are unknown ids */
export function refuseUnknown(unknown: string[], path: string): void {
  if (unknown.length === 0) return
  const more = unknown.length > NAMED ? ` and ${unknown.length - NAMED} more` : ''
  const message = `names none of this tenant that you may use: ${unknown.slice(0, NAMED).join(', ')}${more}`
  throw validationError({ path, message })
}
