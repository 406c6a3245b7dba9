import { useRef } from 'react'
import { Icon } from '../../parts/Icon.tsx'
import { useFormat } from '../../format.ts'
import { useWords } from '../../words/words.tsx'
import { listOutline } from './model.ts'
import styles from './Models.module.css'

interface Props {
  /** Undefined while the text is not JSON: the outline then keeps its last state. */
  definition: Record<string, unknown> | undefined
  problems: readonly { path: string }[]
  onSelect: (path: string) => void
}

/** Lists the contents of the definition; a click selects their text in the editor. */
export function Outline({ definition, problems, onSelect }: Props) {
  const words = useWords('models')
  const format = useFormat()
  const last = useRef(definition)
  if (definition !== undefined) last.current = definition
  const entries = last.current === undefined ? [] : listOutline(last.current)
  return (
    <aside
      className={styles.outline}
      aria-label={words.outline}
      data-stale={definition === undefined || undefined}
    >
      <h2 className={styles.subtitle}>{words.outlineOf(format.number(entries.length))}</h2>
      {entries.length === 0 && <p className={styles.quiet}>{words.outlineEmpty}</p>}
      <ul className={styles.entries}>
        {entries.map(({ path, kind, name, schema }) => (
          <li key={path}>
            <button type="button" className={styles.entry} onClick={() => onSelect(path)}>
              <span className={styles.entryName}>
                {problems.some((one) => one.path === path || one.path.startsWith(`${path}.`)) && (
                  <span className={styles.bad}>
                    <Icon name="bad" size={12} />
                    <span className="visually-hidden">{words.hasProblem}</span>
                  </span>
                )}
                <bdi className={styles.cut}>{name === '' ? words.unnamed : name}</bdi>
              </span>
              <span className={styles.quiet}>
                <bdi>{kind}</bdi>
                {schema !== '' && (
                  <>
                    {' · '}
                    <bdi>{schema}</bdi>
                  </>
                )}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </aside>
  )
}
