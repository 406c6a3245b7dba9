import { useFormat } from '../../format.ts'
import { Icon, type IconName } from '../../parts/Icon.tsx'
import { StateMark } from '../../parts/StateMark.tsx'
import { useUser } from '../../session/SessionProvider.tsx'
import { useWords } from '../../words/words.tsx'
import styles from './Assets.module.css'
import type { AccessChange } from './moves.ts'

const icons: Record<AccessChange['subjectType'], IconName> = {
  user: 'user',
  group: 'people',
  organization: 'organization',
}
const SHOWN = 50

/** Lists of the subjects that lose and gain access, by name. */
export function AccessChanges({ changes, hasContents }: { changes: AccessChange[]; hasContents: boolean }) {
  const { move: words } = useWords('assets')
  const gaining = changes.filter(({ gained }) => gained.length > 0)
  const losing = changes.filter(({ lost }) => lost.length > 0)
  return (
    <section className={styles.impact} aria-label={words.impact}>
      {changes.length === 0 ? (
        <StateMark state="good">{words.nobody}</StateMark>
      ) : (
        <>
          <Side title={words.losing} state="warning" changes={losing} of="lost" />
          <Side title={words.gaining} state="good" changes={gaining} of="gained" />
        </>
      )}
      {hasContents && <p className={styles.note}>{words.contents}</p>}
    </section>
  )
}

interface SideProps {
  title: (count: string) => string
  state: 'good' | 'warning'
  changes: AccessChange[]
  of: 'gained' | 'lost'
}

function Side({ title, state, changes, of }: SideProps) {
  const { move: words } = useWords('assets')
  const user = useUser()
  const format = useFormat()
  if (changes.length === 0) return null
  return (
    <div>
      <h3 className={styles.label}>
        <StateMark state={state}>{title(format.number(changes.length))}</StateMark>
      </h3>
      <ul className={styles.changes}>
        {changes.slice(0, SHOWN).map((change) => (
          <li key={`${change.subjectType} ${change.subjectId}`}>
            <Icon name={icons[change.subjectType]} size={14} />
            <span className={styles.entryName}>
              <bdi>
                {change.displayName ??
                  words.unknownSubject(words.subjects[change.subjectType], change.subjectId)}
              </bdi>
              {change.subjectId === user.id && ` (${words.you})`}
            </span>
            <span className={styles.note}>
              {change[of].map((permission) => words.permissions[permission]).join(', ')}
            </span>
          </li>
        ))}
      </ul>
      {changes.length > SHOWN && (
        <p className={styles.note}>{words.moreSubjects(format.number(changes.length - SHOWN))}</p>
      )}
    </div>
  )
}
