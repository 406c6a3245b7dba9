import { useDisclosure } from '@mantine/hooks'
import type { AskedPermission } from '../../parts/why/Permission.tsx'
import { WhyButton } from '../../parts/why/WhyButton.tsx'
import { WhyPanel } from '../../parts/why/WhyPanel.tsx'

/** Explains why an action is not allowed, and who could grant the permission. */
export function WhyNot({ reason, asked }: { reason: string; asked: AskedPermission }) {
  const [isOpen, why] = useDisclosure()
  return (
    <>
      <WhyButton onClick={why.open} />
      <WhyPanel isOpen={isOpen} onClose={why.close} reason={reason} permission={asked} />
    </>
  )
}
