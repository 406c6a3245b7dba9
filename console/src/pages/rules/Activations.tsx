import { useFormat } from '../../format.ts'
import { Name } from '../../parts/Id.tsx'
import { ValueText } from '../../parts/Value.tsx'
import { useWords } from '../../words/words.tsx'
import styles from './Rules.module.css'
import { type Activation, lastingMs } from './use-backtest.ts'

const MOST_SHOWN = 50

interface Props {
  activations: Activation[]
  endMs: number
  names: ReadonlyMap<string, string>
  /** The asset of the chart. */
  chosen: string
  onChoose: (assetId: string) => void
}

/** When the draft would have fired, on which asset and for how long. A click shows the asset in the chart. */
export function Activations({ activations, endMs, names, chosen, onChoose }: Props) {
  const { backtest: words } = useWords('rules')
  const format = useFormat()
  const ordered = activations.toSorted((a, b) => b.activatedAt.localeCompare(a.activatedAt))
  return (
    <div className={styles.activations}>
      <table className={styles.activationTable} aria-label={words.activations}>
        <thead>
          <tr>
            <th scope="col">{words.at}</th>
            <th scope="col">{words.asset}</th>
            <th scope="col">{words.lasted}</th>
            <th scope="col">{words.value}</th>
          </tr>
        </thead>
        <tbody>
          {ordered.slice(0, MOST_SHOWN).map((one) => (
            <tr key={`${one.entityId} ${one.activatedAt}`} data-chosen={one.entityId === chosen || undefined}>
              <td>
                <time dateTime={one.activatedAt}>{format.full(one.activatedAt)}</time>
              </td>
              <td>
                <button type="button" className={styles.asLink} onClick={() => onChoose(one.entityId)}>
                  <Name>{names.get(one.entityId) ?? one.entityId}</Name>
                </button>
              </td>
              <td>
                {one.inactiveAt === null
                  ? words.untilEnd(format.duration(lastingMs(one, endMs)))
                  : format.duration(lastingMs(one, endMs))}
              </td>
              <td>
                {one.value === null || one.value === undefined ? (
                  words.silence
                ) : (
                  <ValueText value={one.value} />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {ordered.length > MOST_SHOWN && (
        <p className={styles.quiet}>
          {words.newest(format.number(MOST_SHOWN), format.number(ordered.length))}
        </p>
      )}
    </div>
  )
}
