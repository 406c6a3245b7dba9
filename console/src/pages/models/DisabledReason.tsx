import { Outdated } from '../../parts/Outdated.tsx'
import { type AskedPermission, useExplainedPermission } from '../../parts/why/Permission.tsx'
import { useWords } from '../../words/words.tsx'
import { WhyNot } from './WhyNot.tsx'

/** Stands beside a button that needs a permission: why it is disabled, if it is. */
export function DisabledReason({ reason, asked }: { reason: string; asked: AskedPermission }) {
  const words = useWords('common')
  const { data, error, refetch } = useExplainedPermission(asked)
  if (data?.result === false) return <WhyNot reason={reason} asked={asked} />
  if (data !== undefined || error === null) return null
  return <Outdated error={error} text={words.permissionUnknown} onRetry={() => void refetch()} />
}
