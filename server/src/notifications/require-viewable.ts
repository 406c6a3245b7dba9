/** Requires that the records a notification names exist and that the caller may view them. */
import type { Kysely } from 'kysely'
import { checkMany, permissionQuestion } from '../access/decisions/check.ts'
import { queriesIn } from '../access/decisions/queries.ts'
import { callerSubject } from '../access/require.ts'
import type { Tables } from '../database/tables.ts'
import type { Caller } from '../http/access.ts'
import { notificationAlarms, notificationContactGroups, refuseUnknown, requireKnown } from './linked-ids.ts'

/** @throws validation_error that names the alarms that do not exist or that the caller may not view */
export async function requireAlarms(
  tx: Kysely<Tables>,
  caller: Caller,
  ids: string[],
  path = 'trigger.alarmTrigger',
): Promise<void> {
  await requireKnown(tx, caller.tenantId, { links: notificationAlarms, ids, path })
  await requireViewable(tx, caller, { type: 'alarm', ids, path })
}

/** @throws validation_error that names the contact groups that do not exist or that the caller may not view */
export async function requireContactGroups(
  tx: Kysely<Tables>,
  caller: Caller,
  ids: string[],
  path = 'subscribers.contactGroups',
): Promise<void> {
  await requireKnown(tx, caller.tenantId, { links: notificationContactGroups, ids, path })
  await requireViewable(tx, caller, { type: 'contact_group', ids, path })
}

async function requireViewable(
  tx: Kysely<Tables>,
  caller: Caller,
  { type, ids, path }: { type: 'alarm' | 'contact_group'; ids: string[]; path: string },
) {
  const questions = ids.map((id) =>
    permissionQuestion(caller.tenantId, callerSubject(caller), 'view', { type, id: id.toLowerCase() }),
  )
  if (questions.length === 0) return
  const answers = await checkMany(queriesIn(tx), questions)
  refuseUnknown(
    ids.filter((_id, index) => !answers[index]),
    path,
  )
}
