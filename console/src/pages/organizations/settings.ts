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

/** The body of the request: only what was changed, because somebody else may have changed the rest. */
export function writeChanges(values: Settings, initial: Settings) {
  const { displayName, description, privileges: held, ...contacts } = pickChanged(values, initial)
  return {
    ...(displayName !== undefined && { displayName: displayName.trim() }),
    ...(description !== undefined && { description: description.trim() || null }),
    ...(held !== undefined && { privileges: held }),
    ...(Object.keys(contacts).length > 0 && { contacts: { notifications: contacts } }),
  }
}
