import type { Kysely } from 'kysely'
import { listSubjects } from '../../access/decisions/list-subjects.ts'
import { queriesIn } from '../../access/decisions/queries.ts'
import { findReach } from '../../access/decisions/reach.ts'
import { visibleTo } from '../../access/decisions/visible-to.ts'
import { callerSubject, isWithinToken } from '../../access/require.ts'
import { type Permission, permissionRule, permissions, rulePrivileges } from '../../access/schema.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import type { Place } from '../edges/store.ts'

const subjectTypes = ['user', 'group', 'organization'] as const
type SubjectType = (typeof subjectTypes)[number]
const tables = { user: 'users', group: 'groups', organization: 'organizations' } as const

export interface AccessChange {
  subjectType: SubjectType
  subjectId: string
  /** Null where the caller may not view the subject. */
  displayName: string | null
  gained: Permission[]
  lost: Permission[]
}

/** The subjects with permissions on an object: ids by type and permission, sorted. */
export type Holders = { subjectType: SubjectType; permission: Permission; ids: string[] }[]

/** Maximum number of subjects of one permission that are compared. */
const MAX_SUBJECTS = 10_000

/** @param tx the transaction of the move; call it before and after the change */
export async function listHolders(tx: Kysely<Tables>, tenantId: string, resource: Place): Promise<Holders> {
  const holders: Holders = []
  for (const subjectType of subjectTypes)
    for (const permission of permissions) {
      const page = { limit: MAX_SUBJECTS, after: undefined }
      const ids = await listSubjects(queriesIn(tx), { tenantId, resource, permission, subjectType, page })
      holders.push({ subjectType, permission, ids })
    }
  return holders
}

/** Compares the permissions before and after the move, and names the subjects that the caller may view. */
export async function listAccessChanges(
  tx: Kysely<Tables>,
  caller: Caller,
  { before, after }: { before: Holders; after: Holders },
): Promise<AccessChange[]> {
  const changes = new Map<string, AccessChange>()
  const find = (subjectType: SubjectType, subjectId: string) => {
    const key = `${subjectType} ${subjectId}`
    const made = { subjectType, subjectId, displayName: null, gained: [], lost: [] }
    return changes.get(key) ?? changes.set(key, made).get(key)!
  }
  for (const [index, { subjectType, permission, ids }] of before.entries()) {
    const [had, has] = cutEvenly(ids, after[index]!.ids)
    for (const id of has) if (!had.has(id)) find(subjectType, id).gained.push(permission)
    for (const id of had) if (!has.has(id)) find(subjectType, id).lost.push(permission)
  }
  const found = [...changes.values()]
  for (const type of subjectTypes) {
    const ofType = found.filter(({ subjectType }) => subjectType === type)
    const names = await findNames(tx, caller, { type, ids: ofType.map(({ subjectId }) => subjectId) })
    for (const change of ofType) change.displayName = names.get(change.subjectId) ?? null
  }
  return found
}

/** Cuts both lists at the same id if one of them is truncated: later subjects are not compared. */
function cutEvenly(before: string[], after: string[]): [Set<string>, Set<string>] {
  const ends = [before, after].filter(({ length }) => length > MAX_SUBJECTS).map((ids) => ids.at(-1)!)
  const end = ends.toSorted()[0]
  const cut = (ids: string[]) => new Set(end === undefined ? ids : ids.filter((id) => id < end))
  return [cut(before), cut(after)]
}

async function findNames(
  tx: Kysely<Tables>,
  caller: Caller,
  { type, ids }: { type: SubjectType; ids: string[] },
): Promise<Map<string, string>> {
  const isWithin = isWithinToken(caller, rulePrivileges(permissionRule(type, 'view')))
  if (ids.length === 0 || !isWithin) return new Map()
  const { tenantId } = caller
  const reach = await findReach(queriesIn(tx), { tenantId, subject: callerSubject(caller), type })
  const rows = await tx
    .selectFrom(tables[type])
    .select(['id', 'display_name'])
    .where('tenant_id', '=', tenantId)
    .where('id', '=', (eb) => eb.fn.any(eb.val(ids)))
    .where(visibleTo(reach, { id: `${tables[type]}.id` }))
    .execute()
  return new Map(rows.map((row) => [row.id, row.display_name]))
}
