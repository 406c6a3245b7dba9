import type { ReactNode } from 'react'
import { useFormat } from '../../format.ts'
import { links, type PageLink } from '../../links.ts'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { example } from '../../parts/code/example.ts'
import { PageHead } from '../../parts/layout/ListPage.tsx'
import page from '../../parts/layout/Page.module.css'
import { Outdated } from '../../parts/Outdated.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Failed, Loading } from '../../parts/State.tsx'
import { type StateKind, StateMark } from '../../parts/StateMark.tsx'
import { RelativeTime } from '../../parts/time/RelativeTime.tsx'
import { useUser } from '../../session/SessionProvider.tsx'
import { useWords } from '../../words/words.tsx'
import { judgeHealth } from './judge-health.ts'
import styles from './System.module.css'
import { DeadLetterTable, DeliveryTable, JobTable, NodeTable, ReceiverTable } from './tables.tsx'
import { type Health, useHealth } from './use-health.ts'

/** The health of the whole installation, for owners of the environment. */
export default function SystemPage() {
  const words = useWords('system')
  const health = useHealth()
  const retry = () => void health.refetch()
  if (health.isPending) return <Loading />
  if (health.data === undefined) return <Failed isPage error={health.error} onRetry={retry} />
  return (
    <div className={page.page}>
      <PageHead
        title={words.title}
        text={words.what}
        actions={<CodeExamples requests={[example('get', '/v1/system/health')]} />}
      />
      {health.error !== null && <Outdated error={health.error} onRetry={retry} />}
      <Parts health={health.data} />
      <Tables health={health.data} />
      <p className={styles.quiet}>
        {words.asOf} <RelativeTime at={health.data.asOf} /> · {words.version(health.data.version)}
      </p>
    </div>
  )
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

function Parts({ health }: { health: Health }) {
  const { parts: words } = useWords('system')
  const format = useFormat()
  const states = judgeHealth(health)
  const { ingest, jobs, deliveries, deadLetters, queue, database, storage } = health
  const n = (count: number) => format.number(count)
  const failed = sum(jobs.map((row) => row.failed))
  const waiting = sum(jobs.map((row) => row.waiting + row.running))
  const paused = sum(deliveries.map((row) => row.pausedReceivers))
  return (
    <ul className={styles.parts} aria-label={words.title}>
      <Part name={words.ingest} state={states.ingest} detail={words.wait(n(ingest.longestWaitSeconds))}>
        {words.backlog(n(ingest.backlog))}
      </Part>
      <Part
        name={words.jobs}
        state={states.jobs}
        link={links.jobs(failed > 0 ? { state: 'failed' } : {})}
        detail={failed > 0 ? words.failedJobs(n(failed)) : words.noFailedJobs}
      >
        {words.waitingJobs(n(waiting))}
      </Part>
      <Part
        name={words.deliveries}
        state={states.deliveries}
        detail={paused > 0 ? words.paused(n(paused)) : words.noPaused}
      >
        {words.waitingDeliveries(n(sum(deliveries.map((row) => row.waiting))))}
      </Part>
      <Part name={words.deadLetters} state={states.deadLetters} detail={words.lastDay}>
        {words.unreadable(n(deadLetters.messages))}
      </Part>
      <Part
        name={words.queue}
        state={states.queue}
        detail={queue.oldestAt === null ? words.queues[queue.kind] : <RelativeTime at={queue.oldestAt} />}
      >
        {words.events(n(queue.waiting))}
      </Part>
      <Part
        name={words.database}
        state={states.database}
        detail={words.connections(n(database.connections), n(database.maxConnections), database.version)}
      >
        {format.bytes(database.bytes)}
      </Part>
      {database.replica !== null && (
        <Part
          name={words.replica}
          state={states.replica}
          detail={database.replica.problem ?? words.behind(format.bytes(database.replica.lagBytes ?? 0))}
        >
          {database.replica.problem === null ? words.replicaAnswers : words.replicaLeftOut}
        </Part>
      )}
      <Part
        name={words.storage}
        state={states.storage}
        detail={
          storage === null
            ? words.notMeasured
            : storage.daysLeft === null
              ? words.noGrowth
              : words.daysLeft(n(Math.floor(storage.daysLeft)))
        }
      >
        {storage !== null && words.free(format.bytes(storage.freeBytes))}
      </Part>
    </ul>
  )
}

interface PartProps {
  name: string
  state: StateKind
  detail: ReactNode
  link?: PageLink
  children: ReactNode
}

const Part = ({ name, state, detail, link, children }: PartProps) => (
  <li className={styles.part}>
    <StateMark state={state}>{name}</StateMark>
    <span className={styles.value}>
      {link === undefined ? children : <PageAnchor link={link}>{children}</PageAnchor>}
    </span>
    <span className={styles.quiet}>{detail}</span>
  </li>
)

function Tables({ health }: { health: Health }) {
  const words = useWords('system')
  const { tenantId } = useUser()
  return (
    <>
      <Section title={words.nodes.title} text={words.nodes.what}>
        <NodeTable rows={health.nodes} />
      </Section>
      <Section title={words.jobs.title} text={words.jobs.what}>
        <JobTable rows={health.jobs} />
      </Section>
      <Section title={words.deliveries.title} text={words.deliveries.what}>
        <DeliveryTable rows={health.deliveries} />
        {health.receivers.length > 0 && <ReceiverTable rows={health.receivers} />}
      </Section>
      {health.deadLetters.messages > 0 && (
        <Section title={words.deadLetters.title} text={words.deadLetters.what}>
          <DeadLetterTable letters={health.deadLetters} ownTenantId={tenantId} />
        </Section>
      )}
    </>
  )
}

const Section = (props: { title: string; text: string; children: ReactNode }) => (
  <section className={styles.section}>
    <h2 className={styles.heading}>{props.title}</h2>
    <p className={styles.quiet}>{props.text}</p>
    {props.children}
  </section>
)
