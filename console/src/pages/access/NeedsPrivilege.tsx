import type { ReactNode } from 'react'
import { InsteadOfPage } from '../../parts/State.tsx'
import { useWords } from '../../words/words.tsx'
import { usePrivilegeReason, WhyPrivilege } from './CreateButton.tsx'
import type { Privilege } from './privileges.ts'
import { usePrivilege } from './use-privilege.ts'
import { type RootPrivilege, useRootPrivilege } from './use-root-privilege.ts'

/** Shows a page only to those who have the privilege in an organization, and says to others before they fill it in. */
export function NeedsPrivilege({ privilege, children }: { privilege: Privilege; children: ReactNode }) {
  return usePrivilege(privilege) === false ? <Missing privilege={privilege} /> : children
}

/** The same for a privilege in the root organization. */
export function NeedsRootPrivilege({
  privilege,
  children,
}: {
  privilege: RootPrivilege
  children: ReactNode
}) {
  return useRootPrivilege(privilege) === false ? <Missing privilege={privilege} isInRoot /> : children
}

function Missing(missing: { privilege: Privilege; isInRoot?: boolean }) {
  const { missing: words } = useWords('access')
  return (
    <InsteadOfPage icon="forbidden" title={words.title} text={usePrivilegeReason(missing)}>
      <WhyPrivilege {...missing} />
    </InsteadOfPage>
  )
}
