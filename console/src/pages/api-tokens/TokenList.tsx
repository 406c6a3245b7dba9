import { Button } from '@mantine/core'
import type { Schemas } from '@gangway/client'
import { useState } from 'react'
import { lazyPart } from '../../load-part.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { listExample } from '../../parts/code/example.ts'
import { links } from '../../links.ts'
import { Icon } from '../../parts/Icon.tsx'
import { Name } from '../../parts/Id.tsx'
import { ListPage } from '../../parts/layout/ListPage.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { PartBoundary } from '../../parts/PartBoundary.tsx'
import { Empty } from '../../parts/State.tsx'
import { StateMark } from '../../parts/StateMark.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column } from '../../parts/table/types.ts'
import { usePagedList } from '../../parts/table/use-paged-list.ts'
import { RelativeTime } from '../../parts/time/RelativeTime.tsx'
import { useNow } from '../../parts/use-now.ts'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { PeopleNav } from '../people/PeopleNav.tsx'
import { RevokeToken } from './RevokeToken.tsx'

const CreateToken = lazyPart(() => import('./CreateToken.tsx'))

type Token = Schemas['ApiToken']
const PAGE = 100
const MINUTE_MS = 60_000

/** The API tokens of the user, with which programs act as the user or with a part of the user's privileges. */
export default function TokenList() {
  const words = useWords('apiTokens')
  const { title: people } = useWords('people')
  const api = useApi()
  const [isCreating, setCreating] = useState(false)
  const [revoked, setRevoked] = useState<Token | null>(null)
  const query = { limit: PAGE }
  const source = usePagedList<Token>(['api-tokens'], (cursor, signal) =>
    api.page('/v1/api-tokens', { query: { ...query, cursor }, signal: withTimeout(signal) }),
  )
  const create = (
    <Button variant="filled" leftSection={<Icon name="plus" />} onClick={() => setCreating(true)}>
      {words.create.action}
    </Button>
  )
  return (
    <>
      <PeopleNav />
      <ListPage
        parent={{ title: people, link: links.people() }}
        title={words.title}
        text={words.what}
        actions={
          <>
            <CodeExamples requests={[listExample('/v1/api-tokens', { query })]} />
            {create}
          </>
        }
      >
        <DataTable
          name="api-tokens"
          label={words.title}
          source={source}
          columns={useColumns(setRevoked)}
          rowKey={({ id }) => id}
          rowName={({ displayName }) => displayName}
          empty={<Empty icon="key" title={words.emptyTitle} text={words.emptyText} action={create} />}
        />
        {isCreating && (
          <PartBoundary>
            <CreateToken onClose={() => setCreating(false)} />
          </PartBoundary>
        )}
        {revoked !== null && <RevokeToken token={revoked} onClose={() => setRevoked(null)} />}
      </ListPage>
    </>
  )
}

function useColumns(onRevoke: (token: Token) => void): Column<Token>[] {
  const words = useWords('apiTokens')
  const access = useWords('access')
  const common = useWords('common')
  const now = useNow(MINUTE_MS)
  return [
    {
      id: 'name',
      title: words.name,
      width: 'minmax(140px, 2fr)',
      render: ({ displayName }) => <Name>{displayName}</Name>,
    },
    {
      id: 'limits',
      title: words.limits,
      width: 'minmax(140px, 2fr)',
      render: ({ privileges, dashboardId }) =>
        dashboardId !== null ? (
          <PageAnchor link={links.dashboard(dashboardId)}>{words.ofDashboard}</PageAnchor>
        ) : privileges === null ? (
          words.unlimited
        ) : privileges.length === 0 ? (
          words.nothing
        ) : (
          privileges.map((privilege) => access.privileges[privilege] ?? privilege).join(', ')
        ),
    },
    {
      id: 'expires',
      title: words.expires,
      width: '160px',
      render: ({ expiresAt }) =>
        expiresAt === null ? (
          words.never
        ) : Date.parse(expiresAt) <= now ? (
          <StateMark state="off">{words.expired}</StateMark>
        ) : (
          <RelativeTime at={expiresAt} />
        ),
    },
    {
      id: 'created',
      title: words.created,
      width: '140px',
      render: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
    {
      id: 'actions',
      title: common.actions,
      width: '104px',
      align: 'end',
      isOnPhone: true,
      render: (token) => (
        <Button
          size="compact-xs"
          aria-label={words.revoke.of(token.displayName)}
          onClick={() => onRevoke(token)}
        >
          {words.revoke.short}
        </Button>
      ),
    },
  ]
}
