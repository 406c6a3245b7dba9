import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { links } from '../../../links.ts'
import { Outdated } from '../../../parts/Outdated.tsx'
import { Notice } from '../../../parts/State.tsx'
import { useExplainedPermission } from '../../../parts/why/Permission.tsx'
import { useWords } from '../../../words/words.tsx'
import { WhyPrivilege } from '../../access/CreateButton.tsx'
import { DisabledReason } from '../../models/DisabledReason.tsx'
import type { GroupProvider } from './use-provider.ts'

/** Leads to the client of a provisioned device, or says that the reader may not view it. */
export function ClientLink({ providerId, deviceId }: { providerId: string; deviceId: string }) {
  const { device: words } = useWords('onboardingDevices')
  const asked = { resourceType: 'provider_client', resourceId: deviceId, permission: 'view' } as const
  const isHidden = useExplainedPermission(asked).data?.result === false
  if (isHidden)
    return (
      <>
        <DisabledReason reason={words.clientHidden} asked={asked} />
        <Button disabled>{words.client}</Button>
      </>
    )
  return (
    <Button
      renderRoot={(props) => <Link {...props} {...(links.device(providerId, deviceId) as { to: string })} />}
    >
      {words.client}
    </Button>
  )
}

/** Says why the page of a provisioned device does not lead to its client. */
export function ClientNotice({ isElsewhere, isHidden, error, refetch }: GroupProvider) {
  const { device: words } = useWords('onboardingDevices')
  if (isHidden)
    return (
      <Notice kind="info">
        {words.targetHidden} <WhyPrivilege privilege="provider_management" isInRoot />
      </Notice>
    )
  if (isElsewhere) return <Notice kind="info">{words.elsewhere}</Notice>
  return error !== null && <Outdated error={error} text={words.targetUnknown} onRetry={refetch} />
}
