import type { ReactNode } from 'react'
import { InsteadOfPage } from '../../parts/State.tsx'
import { useWords } from '../../words/words.tsx'
import { WhyPrivilege } from './CreateButton.tsx'
import type { Privilege } from './privileges.ts'
import { usePrivilege } from './use-privilege.ts'

/** Shows a page only to those who have the privilege in an organization, and says to others before they fill it in. */
export function NeedsPrivilege({ privilege, children }: { privilege: Privilege; children: ReactNode }) {
  const { missing: words, privileges } = useWords('access')
  const isHeld = usePrivilege(privilege)
  if (isHeld !== false) return children
  return (
    <InsteadOfPage icon="forbidden" title={words.title} text={words.reason(privileges[privilege]!)}>
      <WhyPrivilege privilege={privilege} />
    </InsteadOfPage>
  )
}
