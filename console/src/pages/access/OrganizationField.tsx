import { PickOne } from '../../parts/pick/PickOne.tsx'
import { useWords } from '../../words/words.tsx'
import type { Privilege } from './privileges.ts'
import { useSeveralOrganizations } from './use-organization-id.ts'
import { useObjectFinder } from './use-object-finder.ts'
import { usePrivilege } from './use-privilege.ts'

interface Props {
  /** The privilege that the API asks for. */
  privilege: Privilege
  /** As `useOrganizationId` says. */
  value: string
  onChange: (organizationId: string) => void
  error?: string | undefined
}

/**
 * Field for the organization of a new thing, which says so if the user may not create it there. It is hidden if the user
 * sees only one.
 */
export function OrganizationField({ privilege, value, onChange, error }: Props) {
  const { place: words, privileges } = useWords('access')
  const finder = useObjectFinder('organization')
  const isOneOfSeveral = useSeveralOrganizations()
  const isHeld = usePrivilege(privilege, value || undefined)
  if (!isOneOfSeveral && error === undefined) return null
  return (
    <PickOne
      {...finder}
      label={words.organization}
      description={words.hint}
      value={value}
      onChange={onChange}
      error={error ?? (isHeld === false ? words.lacking(privileges[privilege]!) : undefined)}
    />
  )
}
