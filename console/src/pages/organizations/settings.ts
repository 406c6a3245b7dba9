import { pickChanged } from '../../parts/draft/history.ts'
import type { Privilege } from '../access/privileges.ts'
import type { Organization } from './tree.ts'

type Settings = ReturnType<typeof readSettings>

/** The settings of an organization as they are edited. */
export const readSettings = ({
  displayName,
  description,
  privileges: held,
  contacts,
}: Pick<Organization, 'displayName' | 'description' | 'privileges' | 'contacts'>) => ({
  displayName,
  description: description ?? '',
  privileges: held as Privilege[],
  users: contacts.notifications.users,
  userGroups: contacts.notifications.userGroups,
})

/** @returns the body of the request, with the changed fields only, so that it does not undo changes of other users */
export function writeChanges(values: Settings, initial: Settings) {
  const { displayName, description, privileges: held, ...contacts } = pickChanged(values, initial)
  return {
    ...(displayName !== undefined && { displayName: displayName.trim() }),
    ...(description !== undefined && { description: description.trim() || null }),
    ...(held !== undefined && { privileges: held }),
    ...(Object.keys(contacts).length > 0 && { contacts: { notifications: contacts } }),
  }
}
