import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { Icon } from '../../parts/Icon.tsx'
import { WhyButton } from '../../parts/why/WhyButton.tsx'
import { WhyPanel } from '../../parts/why/WhyPanel.tsx'
import { useWords } from '../../words/words.tsx'
import type { Privilege } from './privileges.ts'
import { usePrivilege } from './use-privilege.ts'

interface Props {
  /** The privilege that the API asks for. */
  privilege: Privilege
  /** The organization in which it is created; without one, any is sufficient. */
  organizationId?: string
  /** Whether it is one of several, and not the main button of the page. */
  isPlain?: boolean
  isDisabled?: boolean
  onClick: () => void
  /** A verb with its object: "Create rule". */
  children: ReactNode
}

/** A button that creates something. It is disabled, and says why, for those who lack the privilege. */
export function CreateButton({
  privilege,
  organizationId,
  isPlain = false,
  isDisabled = false,
  ...props
}: Props) {
  const isHeld = usePrivilege(privilege, organizationId)
  return (
    <>
      {isHeld === false && <WhyPrivilege privilege={privilege} />}
      <Button
        variant={isPlain ? 'default' : 'filled'}
        leftSection={isPlain ? undefined : <Icon name="plus" />}
        disabled={isDisabled || isHeld === false}
        onClick={props.onClick}
      >
        {props.children}
      </Button>
    </>
  )
}

interface Missing {
  privilege: Privilege
  /** Whether it is missing in the root organization, and not in every one. */
  isInRoot?: boolean
}

export function usePrivilegeReason({ privilege, isInRoot = false }: Missing): string {
  const { missing: words, privileges } = useWords('access')
  return (isInRoot ? words.reasonInRoot : words.reason)(privileges[privilege]!)
}

/** Explains which privilege is missing, and who can give it. */
export function WhyPrivilege(missing: Missing) {
  const { missing: words } = useWords('access')
  const [isOpen, why] = useDisclosure()
  return (
    <>
      <WhyButton onClick={why.open} />
      <WhyPanel
        isOpen={isOpen}
        onClose={why.close}
        reason={usePrivilegeReason(missing)}
        code={missing.privilege}
        cure={words.cure}
      />
    </>
  )
}
