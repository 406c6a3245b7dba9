import type { Schemas } from '@gangway/client'

export type ContactGroup = Schemas['ContactGroup']

export interface ContactGroupValues {
  displayName: string
  description: string
  /** Chosen once; '' is the first one. */
  organizationId: string
  users: string[]
  userGroups: string[]
}

export const newContactGroup: ContactGroupValues = {
  displayName: '',
  description: '',
  organizationId: '',
  users: [],
  userGroups: [],
}

export const startGroup = (group: ContactGroup): ContactGroupValues => ({
  displayName: group.displayName,
  organizationId: group.organizationId,
  users: group.users,
  userGroups: group.userGroups,
  description: group.description ?? '',
})

/** The body of the request, without the organization, which does not change. */
export const writeGroup = ({ displayName, description, users, userGroups }: ContactGroupValues) => ({
  displayName: displayName.trim(),
  description: description.trim() || null,
  users,
  userGroups,
})
