import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { example } from '../../parts/code/example.ts'
import { Id } from '../../parts/Id.tsx'
import { DetailLayout } from '../../parts/layout/DetailLayout.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Failed, Loading } from '../../parts/State.tsx'
import { choice, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { RelationsOf } from '../access/RelationsTab.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { PrivilegesTab } from './PrivilegesTab.tsx'
import { ProfileTab } from './ProfileTab.tsx'
import { UserActions } from './UserActions.tsx'
import { UserState } from './UserState.tsx'

const route = '/v1/users/{userId}'
const fields = { tab: choice(['profile', 'relations', 'privileges']) }

/** One user: profile, what relations give, and where privileges are held. */
export default function UserPage() {
  const { userId } = useParams({ strict: false }) as { userId: string }
  const words = useWords('people')
  const access = useWords('access')
  const api = useApi()
  const [{ tab }, change] = useUrlState(fields)
  const path = { userId }
  const found = useQuery({
    queryKey: ['user', userId],
    queryFn: ({ signal }) => api.get(route, { path, signal: withTimeout(signal) }),
  })
  if (found.isPending) return <Loading />
  if (found.data === undefined)
    return <Failed isPage error={found.error} onRetry={() => void found.refetch()} />
  const user = found.data
  return (
    <DetailLayout
      parent={{ title: words.title, link: links.people() }}
      title={user.displayName}
      label={user.displayName}
      facts={
        <>
          <UserState isDisabled={user.disabled} />
          {user.email !== null && <bdi>{user.email}</bdi>}
          <Id value={user.id} name={words.id} />
          <PageAnchor link={links.access('user', user.id)}>{access.of(user.displayName)}</PageAnchor>
          <PageAnchor link={links.audit({ actor: user.id, range: '1y' })}>{access.list.didThis}</PageAnchor>
        </>
      }
      actions={
        <>
          <CodeExamples requests={[example('get', route, { path })]} />
          <UserActions user={user} />
        </>
      }
      tab={tab}
      onTab={(next) => void change({ tab: next })}
      tabs={[
        { id: 'profile', title: words.tabs.profile, render: () => <ProfileTab user={user} /> },
        {
          id: 'relations',
          title: words.tabs.relations,
          render: () => <RelationsOf type="user" id={user.id} />,
        },
        {
          id: 'privileges',
          title: words.tabs.privileges,
          render: () => <PrivilegesTab type="user" id={user.id} />,
        },
      ]}
    />
  )
}
