import { useGroup } from './groups/use-group.ts'
import { type Group, useGroups } from './use-groups.ts'

export interface ChosenGroup {
  /** Undefined until it is loaded, and if there is no group. */
  group: Group | undefined
  groups: Group[] | undefined
  isCut: boolean
  error: unknown
  retry: () => void
}

/** @param asked the id in the address; empty for the first group */
export function useChosenGroup(asked: string): ChosenGroup {
  const { groups, isCut, query } = useGroups()
  const listed = asked === '' ? groups?.[0] : groups?.find(({ id }) => id === asked)
  // The group may be missing in the list, which is limited.
  const other = useGroup(asked, {
    isEnabled: asked !== '' && groups !== undefined && listed === undefined,
  })
  return {
    group: listed ?? other.data,
    groups,
    isCut,
    error: query.error ?? other.error,
    retry: () => void (query.error === null ? other.refetch() : query.refetch()),
  }
}
