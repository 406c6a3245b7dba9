import { useWords } from '../../../words/words.tsx'
import type { Widget } from '../board/board.ts'
import styles from './Widgets.module.css'

/** A widget of a kind that this console does not know, which stays as it is. */
export function UnknownWidget({ widget }: { widget: Widget }) {
  const words = useWords('dashboards')
  return (
    <div className={styles.scroll} tabIndex={0} role="group" aria-label={words.unknownWidget(widget.kind)}>
      <p className={styles.note}>
        <bdi>{words.unknownWidget(widget.kind)}</bdi>
      </p>
      <pre className={styles.json}>{JSON.stringify(widget.options, null, 2)}</pre>
    </div>
  )
}
