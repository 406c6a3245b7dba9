import type { Answer } from '@gangway/client'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { links, type PageLink } from '../../links.ts'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { example } from '../../parts/code/example.ts'
import { PageHead } from '../../parts/layout/ListPage.tsx'
import page from '../../parts/layout/Page.module.css'
import { Outdated } from '../../parts/Outdated.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Empty, Failed, Loading } from '../../parts/State.tsx'
import { useWords } from '../../words/words.tsx'
import { useConcerns } from './concerns.ts'
import { ConcernRow } from './ConcernRow.tsx'
import styles from './Home.module.css'
import { ProviderTable } from './ProviderTable.tsx'

export type Overview = Answer<'get', '/v1/overview'>

/** Interval between two requests of the overview, whose counts are up to a minute old. */
const REFRESH_MS = 30_000

/** Start page with what needs attention, and links to it. */
export default function Home() {
  const words = useWords('home')
  const api = useApi()
  const overview = useQuery({
    queryKey: ['overview'],
    queryFn: ({ signal }) => api.get('/v1/overview', { signal }),
    refetchInterval: REFRESH_MS,
  })
  // The counts are up to a minute old, so that a count of 0 could miss a first device that was just created.
  const hasDevices = useQuery({
    queryKey: ['has-devices'],
    queryFn: async ({ signal }) => {
      const devices = await api.get('/v1/provider-clients', { query: { limit: 1 }, signal })
      return devices.length > 0
    },
    enabled: overview.data?.devices?.total === 0,
    staleTime: 0,
  })
  if (overview.isPending || hasDevices.isLoading) return <Loading />
  if (overview.data === undefined)
    return <Failed isPage error={overview.error} onRetry={() => void overview.refetch()} />
  // Users without access to onboarding are not asked to begin, since there may be devices that they may not see.
  const mayBegin = overview.data.onboarding !== null
  const isEmpty = mayBegin && overview.data.devices?.total === 0 && hasDevices.data === false
  return (
    <div className={page.page}>
      <PageHead title={words.title} actions={<CodeExamples requests={[example('get', '/v1/overview')]} />} />
      {overview.error !== null && (
        <Outdated error={overview.error} text={words.old} onRetry={() => void overview.refetch()} />
      )}
      {isEmpty ? <Begin /> : <Concerns overview={overview.data} />}
    </div>
  )
}

function Begin() {
  const words = useWords('home')
  return (
    <Empty
      icon="devices"
      title={words.emptyTitle}
      text={words.emptyText}
      action={
        <Button
          variant="filled"
          renderRoot={(props) => <Link {...props} to={'/onboarding/first-device' as string} />}
        >
          {words.begin}
        </Button>
      }
    />
  )
}

function Concerns({ overview }: { overview: Overview }) {
  const words = useWords('home')
  const format = useFormat()
  const concerns = useConcerns(overview)
  const open = concerns.filter(({ state }) => state === 'bad' || state === 'warning')
  const calm = concerns.filter(({ state }) => state === 'good')
  const hidden = concerns.filter(({ state }) => state === 'off')
  return (
    <div className={styles.columns}>
      <section aria-label={words.attention} className={styles.section}>
        <h2 className={styles.heading}>{words.attention}</h2>
        {open.length === 0 && <p className={styles.note}>{words.nothing}</p>}
        <ul className={styles.list}>
          {open.map((concern) => (
            <ConcernRow key={concern.id} concern={concern} />
          ))}
        </ul>
        {calm.length > 0 && (
          <>
            <h2 className={styles.heading}>{words.inOrder}</h2>
            <ul className={styles.list}>
              {calm.map((concern) => (
                <ConcernRow key={concern.id} concern={concern} />
              ))}
            </ul>
          </>
        )}
        {hidden.length > 0 && (
          <p className={styles.note}>{words.hidden(hidden.map(({ name }) => name).join(', '))}</p>
        )}
      </section>
      <section aria-label={words.fleet} className={styles.section}>
        <h2 className={styles.heading}>{words.fleet}</h2>
        <dl className={styles.facts}>
          {overview.ingest !== null && (
            <Fact
              name={words.ingest}
              value={words.perSecond(format.number(overview.ingest.messagesPerSecond))}
              link={links.system()}
            />
          )}
          {overview.storage !== null && (
            <Fact
              name={words.freeSpace}
              value={format.bytes(overview.storage.freeBytes)}
              link={links.settings()}
            />
          )}
        </dl>
        {overview.devices !== null && overview.devices.providers.length > 0 && (
          <ProviderTable devices={overview.devices} />
        )}
        <p className={styles.note}>{words.asOf(format.time(overview.asOf))}</p>
      </section>
    </div>
  )
}

const Fact = ({ name, value, link }: { name: string; value: string; link: PageLink }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <PageAnchor link={link}>{value}</PageAnchor>
    </dd>
  </div>
)
