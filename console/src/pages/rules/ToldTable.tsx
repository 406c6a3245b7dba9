import { useFormat } from '../../format.ts'
import { links } from '../../links.ts'
import { Name } from '../../parts/Id.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Failed, Loading, Notice } from '../../parts/State.tsx'
import { useWords } from '../../words/words.tsx'
import styles from './Rules.module.css'
import type { Activation } from './use-backtest.ts'
import { useTold } from './use-told.ts'

const MOST_SHOWN = 50

/** Who would have been told of the activations, how often, and why others would not. */
export function ToldTable({
  ruleId,
  activations,
}: {
  ruleId: string | undefined
  activations: Activation[]
}) {
  const { told: words, ...rules } = useWords('rules')
  const { deliveries } = useWords('alarms')
  const format = useFormat()
  const { told, error, retry } = useTold(ruleId, activations)
  return (
    <section className={styles.told} aria-label={words.title}>
      <h3>{words.title}</h3>
      {ruleId === undefined ? (
        <p className={styles.quiet}>{words.notSaved}</p>
      ) : error !== null ? (
        <Failed error={error} onRetry={retry} />
      ) : told === undefined ? (
        <Loading rows={2} />
      ) : (
        <>
          {told.notifications === 0 ? (
            <p className={styles.quiet}>
              {words.noNotification}{' '}
              <PageAnchor link={links.newNotification({ rule: ruleId })}>{words.create}</PageAnchor>
            </p>
          ) : (
            <p className={styles.quiet}>
              {words.text}{' '}
              <PageAnchor link={links.notifications({ rule: ruleId })}>{rules.itsNotifications}</PageAnchor>
            </p>
          )}
          {told.closed.length > 0 && <Notice kind="info">{words.closed(told.closed.join(', '))}</Notice>}
          {told.isCut && <Notice kind="warning">{words.cut}</Notice>}
          {told.notifications > told.closed.length && told.people.length === 0 && (
            <p className={styles.quiet}>{words.nobody}</p>
          )}
          {told.people.length > 0 && (
            <table className={styles.activationTable} aria-label={words.title}>
              <thead>
                <tr>
                  <th scope="col">{words.user}</th>
                  <th scope="col">{words.times}</th>
                  <th scope="col">{words.reason}</th>
                </tr>
              </thead>
              <tbody>
                {told.people.slice(0, MOST_SHOWN).map(({ userId, name, times, reasons }) => (
                  <tr key={userId}>
                    <td>
                      <Name>{name}</Name>
                    </td>
                    <td>{format.number(times)}</td>
                    <td>{reasons.map((reason) => deliveries.reasons[reason] ?? reason).join(' ')}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
          {told.people.length > MOST_SHOWN && (
            <p className={styles.quiet}>
              {words.shown(format.number(MOST_SHOWN), format.number(told.people.length))}
            </p>
          )}
        </>
      )}
    </section>
  )
}
