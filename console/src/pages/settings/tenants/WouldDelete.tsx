import type { Answer } from '@gangway/client'
import { useFormat } from '../../../format.ts'
import { Facts } from '../../../parts/why/WhyPanel.tsx'
import { useWords } from '../../../words/words.tsx'
import styles from '../Settings.module.css'
import type { tenantRoute } from './tenant.ts'

export type WouldDeleteAnswer = NonNullable<Answer<'patch', typeof tenantRoute>['wouldDelete']>

/** What a retention would delete, as the dry run has measured it. */
export function WouldDelete({ wouldDelete }: { wouldDelete: WouldDeleteAnswer }) {
  const { tenants: words } = useWords('settings')
  const format = useFormat()
  const { before, samples, bytes, isEstimate } = wouldDelete
  const beforeEntry = (time: string): [string, string] => [words.before, format.full(time)]
  if (samples === 0 && bytes === 0) return <div className={styles.result}>{words.deletesNothing}</div>
  return (
    <div className={styles.result}>
      <strong>{samples === 0 ? words.deletesRollups : words.deletes(format.number(samples))}</strong>
      <Facts
        entries={[...(before === null ? [] : [beforeEntry(before)]), [words.frees, format.bytes(bytes)]]}
      />
      <p className={styles.quiet}>
        {isEstimate && `${words.estimate} `}
        {words.noWayBack}
      </p>
    </div>
  )
}
