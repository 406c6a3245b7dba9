import type { Schemas } from '@gangway/client'

export type Organization = Schemas['Organization']

/** A row of the tree. */
export interface OrganizationRow {
  organization: Organization
  depth: number
  hasChildren: boolean
  isOpen: boolean
}

/**
 * Lists organizations below each other, by name on each level. One whose parent is not among them stands at the top.
 * @param closed the ids of organizations whose children are hidden
 */
export function listTree(organizations: Organization[], closed: ReadonlySet<string>): OrganizationRow[] {
  const known = new Set(organizations.map(({ id }) => id))
  const below = new Map<string | null, Organization[]>()
  for (const organization of organizations) {
    const { parentOrganizationId: parent } = organization
    const place = parent !== null && known.has(parent) ? parent : null
    below.set(place, [...(below.get(place) ?? []), organization])
  }
  const rows: OrganizationRow[] = []
  const add = (parent: string | null, depth: number) => {
    const level = below.get(parent) ?? []
    for (const organization of level.toSorted((a, b) => a.displayName.localeCompare(b.displayName))) {
      const hasChildren = below.has(organization.id)
      const isOpen = hasChildren && !closed.has(organization.id)
      rows.push({ organization, depth, hasChildren, isOpen })
      if (isOpen) add(organization.id, depth + 1)
    }
  }
  add(null, 0)
  return rows
}
