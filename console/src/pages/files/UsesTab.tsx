import { Empty, Failed, Loading } from '../../parts/State.tsx'
import { useWords } from '../../words/words.tsx'
import styles from './Files.module.css'
import { UseList } from './UseList.tsx'
import { useUses } from './use-uses.ts'

/** What refers to a file and may break without it. */
export default function UsesTab({ resourceId }: { resourceId: string }) {
  const words = useWords('files')
  const uses = useUses(resourceId)
  if (uses.isPending) return <Loading />
  if (uses.data === undefined) return <Failed error={uses.error} onRetry={() => void uses.refetch()} />
  if (uses.data.length === 0) return <Empty icon="files" title={words.unusedTitle} text={words.unusedText} />
  return (
    <div className={styles.scroll}>
      <p className={styles.quiet}>{words.usesText}</p>
      <UseList uses={uses.data} />
    </div>
  )
}
