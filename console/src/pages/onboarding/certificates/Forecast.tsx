import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { links } from '../../../links.ts'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { Refusal } from '../../../parts/Refusal.tsx'
import { Loading } from '../../../parts/State.tsx'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import shared from '../Onboarding.module.css'
import styles from './Certificates.module.css'

const WEEKS = { desk: 26, phone: 12 }
const RARELY_CHANGED = 300_000

/** A bar chart of the number of certificates that expire in each of the coming weeks; each bar links to their list. */
export function Forecast({ chosen }: { chosen: string }) {
  const { forecast: words } = useWords('certificates')
  const format = useFormat()
  const api = useApi()
  const isPhone = useMediaQuery('(max-width: 760px)', undefined, { getInitialValueInEffect: false })
  const forecast = useQuery({
    queryKey: ['certificate-forecast'],
    queryFn: ({ signal }) =>
      api.get('/v1/certificates/forecast', {
        query: { weeks: WEEKS.desk },
        signal: withTimeout(signal),
      }),
    staleTime: RARELY_CHANGED,
  })
  if (forecast.isPending) return <Loading rows={3} />
  if (forecast.data === undefined) return <Refusal error={forecast.error} />
  const weeks = forecast.data.slice(0, isPhone ? WEEKS.phone : WEEKS.desk)
  const total = weeks.reduce((sum, { expiring }) => sum + expiring, 0)
  const most = Math.max(1, ...weeks.map(({ expiring }) => expiring))
  return (
    <section className={shared.stack} aria-label={words.title}>
      <p className={shared.note}>{words.text(total, format.number(total), format.number(weeks.length))}</p>
      {total > 0 && (
        <ol className={styles.bars}>
          {weeks.map(({ from, expiring }, index) => (
            <Bar
              key={from}
              from={from}
              expiring={expiring}
              share={expiring / most}
              isChosen={from.startsWith(chosen) && chosen.length === 10}
              hasDate={index % 4 === 0}
            />
          ))}
        </ol>
      )}
    </section>
  )
}

interface BarProps {
  /** The Monday on which the week begins, UTC. */
  from: string
  expiring: number
  /** Height relative to the highest bar. */
  share: number
  isChosen: boolean
  hasDate: boolean
}

function Bar({ from, expiring, share, isChosen, hasDate }: BarProps) {
  const { forecast: words } = useWords('certificates')
  const format = useFormat()
  // Weeks begin in UTC, independent of the time zone of the user.
  const day = new Intl.DateTimeFormat(format.locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  const date = day.format(new Date(from))
  const bar = (
    <>
      <span className={styles.count} aria-hidden>
        {expiring > 0 && format.number(expiring)}
      </span>
      <span className={styles.bar} style={{ height: `${Math.round(share * 100)}%` }} />
      <span className="visually-hidden">{words.week(date, expiring, format.number(expiring))}</span>
    </>
  )
  return (
    <li className={styles.week} data-chosen={isChosen || undefined}>
      {expiring > 0 ? (
        <PageAnchor
          link={links.certificates({ ends: from.slice(0, 10) })}
          className={styles.column}
          title={words.week(date, expiring, format.number(expiring))}
        >
          {bar}
        </PageAnchor>
      ) : (
        <span className={styles.column}>{bar}</span>
      )}
      <span className={styles.date} aria-hidden>
        {hasDate && date}
      </span>
    </li>
  )
}
