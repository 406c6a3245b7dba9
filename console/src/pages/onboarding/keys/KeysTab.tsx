import { Failed, Loading } from '../../../parts/State.tsx'
import type { Group } from '../use-groups.ts'
import { DeriveKeys } from './DeriveKeys.tsx'
import { KeyPolicy } from './KeyPolicy.tsx'
import { KeySlots } from './KeySlots.tsx'
import styles from './Keys.module.css'
import { ReadinessTable } from './ReadinessTable.tsx'
import { useKeys } from './use-keys.ts'

/** The keys of a group, the devices that use each of them, and the derivation of device keys. */
export default function KeysTab({ group }: { group: Group }) {
  const keys = useKeys(group.id)
  if (keys.isPending) return <Loading />
  if (keys.data === undefined) return <Failed error={keys.error} onRetry={() => void keys.refetch()} />
  const hasKey = keys.data.primary_key !== null
  return (
    <div className={styles.sections}>
      <KeySlots group={group} keys={keys.data} />
      {hasKey && (
        <>
          <ReadinessTable group={group} keys={keys.data} />
          <DeriveKeys key={keys.data.primary_created_at} group={group} />
        </>
      )}
      <KeyPolicy group={group} />
    </div>
  )
}
