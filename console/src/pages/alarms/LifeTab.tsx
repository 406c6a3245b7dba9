import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { links } from '../../links.ts'
import { Icon, type IconName } from '../../parts/Icon.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Refusal } from '../../parts/Refusal.tsx'
import type { StateKind } from '../../parts/StateMark.tsx'
import { useNow } from '../../parts/use-now.ts'
import { ValueText } from '../../parts/Value.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { ActivationChart } from './ActivationChart.tsx'
import styles from './Alarms.module.css'
import type { NamedDelivery } from './delivery.ts'
import type { Status } from './status.ts'
import { useDeliveries } from './use-deliveries.ts'

/** The steps of an activation with their times, beside a chart of the values around it. */
export function LifeTab({ status }: { status: Status }) {
  const { life: words } = useWords('alarms')
  return (
    <div className={styles.life}>
      <section aria-label={words.title}>
        <h2 className={styles.subtitle}>{words.title}</h2>
        <Steps status={status} />
      </section>
      <ActivationChart status={status} />
    </div>
  )
}

function Steps({ status }: { status: Status }) {
  const { life: words } = useWords('alarms')
  const format = useFormat()
  const now = useNow(1000)
  const by = useUserName(status.acknowledgedBy)
  const { timestamp, activatedAt, acknowledgedAt, inactiveAt, clearedAt, clearedReason, value } = status
  const span = (from: string, to: string | number) =>
    format.duration(Math.max(0, (typeof to === 'number' ? to : Date.parse(to)) - Date.parse(from)))
  const isSilence = value === null || value === undefined
  const isLate = Date.parse(activatedAt) - Date.parse(timestamp) >= 1000
  return (
    <ol className={styles.steps}>
      <Step icon="explore" state="off" title={isSilence ? words.silent : words.measured} at={timestamp}>
        {!isSilence && (
          <>
            {words.measuredValue}{' '}
            <strong>
              <ValueText value={value} />
            </strong>
          </>
        )}
      </Step>
      <Step icon="alarm" state="bad" title={words.active} at={activatedAt}>
        {isLate && words.reached(span(timestamp, activatedAt))}
      </Step>
      <Messages status={status} />
      {acknowledgedAt === null ? (
        clearedAt === null && <Step icon="user" state="off" title={words.notAcknowledged} />
      ) : (
        <Step icon="check" state="good" title={words.acknowledged} at={acknowledgedAt}>
          {words.after(span(activatedAt, acknowledgedAt))}
          {by !== undefined && (
            <>
              {' '}
              {words.by} <bdi>{by}</bdi>
            </>
          )}
          {Boolean(status.acknowledgeComment) && (
            <blockquote className={styles.comment}>
              <bdi>{status.acknowledgeComment}</bdi>
            </blockquote>
          )}
        </Step>
      )}
      {inactiveAt === null ? (
        clearedAt === null && (
          <Step icon="live" state="off" title={words.stillActive}>
            {words.activeFor(span(activatedAt, now))}
          </Step>
        )
      ) : (
        <Step icon="good" state="good" title={words.ended} at={inactiveAt}>
          {words.lasted(span(activatedAt, inactiveAt))}
        </Step>
      )}
      {clearedAt === null ? (
        <Step icon="zone" state="off" title={words.notCleared}>
          {words.needs[status.state]}
        </Step>
      ) : (
        <Step icon="close" state="off" title={words.cleared} at={clearedAt}>
          {clearedReason ? (words.reasons[clearedReason] ?? <code>{clearedReason}</code>) : null}
        </Step>
      )}
    </ol>
  )
}

/** The messages of the activation as one step, with what became of them; the other tab has each one. */
function Messages({ status }: { status: Status }) {
  const { life: words, deliveries } = useWords('alarms')
  const format = useFormat()
  const { data, error } = useDeliveries(status)
  if (data === undefined) return error === null ? null : <Refusal error={error} />
  const { rows, hidden, isCut } = data
  const counts = countStates(rows)
  const first = rows.map(({ createdAt }) => createdAt).toSorted()[0]
  return (
    <Step
      icon="mail"
      state={judge(counts)}
      title={
        counts.has('sent')
          ? words.told
          : counts.has('queued') || hidden.length > 0
            ? deliveries.title
            : deliveries.noneTitle
      }
      {...(first !== undefined && { at: first })}
    >
      {[...sumByName(counts, deliveries.states)].map(([name, count]) => (
        <p key={name}>
          {name}: {format.number(count)}
        </p>
      ))}
      {hidden.length > 0 && <p>{deliveries.hidden(hidden.join(', '))}</p>}
      {isCut && <p>{deliveries.cut}</p>}
      <PageAnchor link={links.alarm(status.alarmStatusId, { tab: 'deliveries' })}>
        {deliveries.title}
      </PageAnchor>
    </Step>
  )
}

/** How many messages are in each state. */
function countStates(rows: readonly Pick<NamedDelivery, 'state'>[]): Map<NamedDelivery['state'], number> {
  const counts = new Map<NamedDelivery['state'], number>()
  for (const { state } of rows) counts.set(state, (counts.get(state) ?? 0) + 1)
  return counts
}

type Counts = ReadonlyMap<NamedDelivery['state'], number>

function judge(counts: Counts): StateKind {
  if (counts.has('failed')) return 'bad'
  if (counts.has('skipped') || counts.has('not_configured')) return 'warning'
  return counts.size === 0 ? 'off' : counts.has('queued') ? 'active' : 'good'
}

/** States that have the same name for the reader are one line. */
function sumByName(counts: Counts, names: Record<NamedDelivery['state'], string>): Map<string, number> {
  const sums = new Map<string, number>()
  for (const [state, count] of counts) sums.set(names[state], (sums.get(names[state]) ?? 0) + count)
  return sums
}

interface StepProps {
  icon: IconName
  state: StateKind
  title: string
  /** Absent if it has not happened yet. */
  at?: string
  children?: ReactNode
}

function Step({ icon, state, title, at, children }: StepProps) {
  const format = useFormat()
  return (
    <li className={styles.step} data-is-ahead={at === undefined || undefined}>
      <span className={styles.dot} data-state={state}>
        <Icon name={icon} />
      </span>
      <div>
        <p className={styles.stepTitle}>{title}</p>
        {at !== undefined && <time dateTime={at}>{format.full(at)}</time>}
        {Boolean(children) && <div>{children}</div>}
      </div>
    </li>
  )
}

/** The name of the user who acknowledged, or else what the status has: an id or an address. */
function useUserName(by: string | null): string | undefined {
  const api = useApi()
  const isId = by !== null && /^[0-9a-f-]{36}$/.test(by)
  const { data } = useQuery({
    queryKey: ['user', by],
    enabled: isId,
    queryFn: ({ signal }) =>
      api.get('/v1/users/{userId}', { path: { userId: by! }, signal: withTimeout(signal) }),
    staleTime: 300_000,
    retry: false,
  })
  return by === null ? undefined : (data?.displayName ?? by)
}
