import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { links, type PageLink } from '../../links.ts'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { example } from '../../parts/code/example.ts'
import { Id } from '../../parts/Id.tsx'
import { PageHead } from '../../parts/layout/ListPage.tsx'
import page from '../../parts/layout/Page.module.css'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Refusal } from '../../parts/Refusal.tsx'
import { useUser } from '../../session/SessionProvider.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { Fact } from './Fact.tsx'
import styles from './Settings.module.css'
import { Storage } from './Storage.tsx'

/** The tenant of the user, what it stores, and the pages of other settings. */
export default function Settings() {
  const words = useWords('settings')
  return (
    <div className={page.page}>
      <PageHead
        title={words.title}
        text={words.what}
        actions={<CodeExamples requests={[example('get', '/v1/telemetry/storage')]} />}
      />
      <div className={styles.sections}>
        <section className={styles.section} aria-label={words.tenant}>
          <h2 className={styles.heading}>{words.tenant}</h2>
          <OwnTenant />
        </section>
        <section className={styles.section} aria-label={words.more}>
          <h2 className={styles.heading}>{words.more}</h2>
          <ul className={styles.links}>
            <More link={links.tenants()} title={words.tenants.title} text={words.tenants.what} />
            <More link={links.webhooks()} title={words.webhooks.title} text={words.webhooks.what} />
          </ul>
        </section>
        <section className={styles.section} aria-label={words.storage.title}>
          <h2 className={styles.heading}>{words.storage.title}</h2>
          <Storage />
        </section>
      </div>
    </div>
  )
}

const More = ({ link, title, text }: { link: PageLink; title: string; text: string }) => (
  <li className={styles.card}>
    <PageAnchor link={link}>{title}</PageAnchor>
    <span className={styles.quiet}>{text}</span>
  </li>
)

/** The limits of the plan, from the headers that each answer has. [docs/api#rate-limits] */
function OwnTenant() {
  const words = useWords('settings')
  const format = useFormat()
  const api = useApi()
  const { tenantId } = useUser()
  const limits = useQuery({
    queryKey: ['rate-limit'],
    queryFn: async ({ signal }) => {
      const { headers } = await api.request('get', '/v1/auth/me', { signal: withTimeout(signal) })
      const read = (name: string) => Number(headers.get(`x-ratelimit-${name}`))
      return { limit: read('limit'), remaining: read('remaining'), resetMs: read('reset') * 1000 }
    },
  })
  return (
    <>
      {limits.error !== null && <Refusal error={limits.error} />}
      <dl className={styles.cards}>
        <Fact name={words.tenantId}>
          <Id value={tenantId} name={words.tenantId} />
        </Fact>
        {limits.data !== undefined && (
          <Fact
            name={words.requests}
            detail={words.requestsLeft(
              format.number(limits.data.remaining),
              format.time(limits.data.resetMs),
            )}
          >
            {format.number(limits.data.limit)}
          </Fact>
        )}
      </dl>
    </>
  )
}
