import { useDisclosure } from '@mantine/hooks'
import { Permission } from '../../parts/why/Permission.tsx'
import { WhyButton } from '../../parts/why/WhyButton.tsx'
import { WhyPanel } from '../../parts/why/WhyPanel.tsx'
import { useWords } from '../../words/words.tsx'
import type { MissingRights } from './use-missing-rights.ts'

/** Stands beside the buttons of a simulation: why it cannot be started or deleted, if that is so. */
export function WhyNotStarted({ missing: { assets, toView } }: { missing: MissingRights }) {
  const { mayNot: words } = useWords('simulations')
  const { missing: access, privileges } = useWords('access')
  const [isOpen, why] = useDisclosure()
  if (!assets && toView.length === 0) return null
  return (
    <>
      <WhyButton onClick={why.open} />
      <WhyPanel
        isOpen={isOpen}
        onClose={why.close}
        reason={
          <>
            {assets && <p>{words.assets(privileges.asset_management!)}</p>}
            {toView.length > 0 && <p>{words.parts}</p>}
          </>
        }
        {...(assets && { code: 'asset_management', cure: access.cure })}
        more={toView.map((asked) => (
          <Permission key={`${asked.resourceType} ${asked.resourceId}`} asked={asked} />
        ))}
      />
    </>
  )
}
