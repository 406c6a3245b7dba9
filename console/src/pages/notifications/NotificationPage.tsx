import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { lazyPart } from '../../load-part.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { DeleteButton } from '../../parts/DeleteButton.tsx'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { example } from '../../parts/code/example.ts'
import { Id } from '../../parts/Id.tsx'
import { DetailLayout } from '../../parts/layout/DetailLayout.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Failed, Loading } from '../../parts/State.tsx'
import { useExplainedPermission } from '../../parts/why/Permission.tsx'
import { choice, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { EditTab } from './EditTab.tsx'
import type { Notification } from './notification.ts'

const RecipientsTab = lazyPart(() => import('./RecipientsTab.tsx'))
const DeliveriesTab = lazyPart(() => import('./DeliveriesTab.tsx'))

const route = '/v1/notifications/{notificationId}'
const fields = { tab: choice(['edit', 'recipients', 'deliveries']) }

export default function NotificationPage() {
  const { notificationId } = useParams({ strict: false }) as { notificationId: string }
  const api = useApi()
  const notification = useQuery({
    queryKey: ['notification', notificationId],
    queryFn: ({ signal }) => api.get(route, { path: { notificationId }, signal: withTimeout(signal) }),
  })
  if (notification.isPending) return <Loading />
  if (notification.data === undefined)
    return <Failed isPage error={notification.error} onRetry={() => void notification.refetch()} />
  return <Detail key={notificationId} notification={notification.data} />
}

function Detail({ notification }: { notification: Notification }) {
  const words = useWords('notifications')
  const { pages } = useWords('shell')
  const [{ tab }, change] = useUrlState(fields)
  const { id: notificationId, displayName } = notification
  const asked = { resourceType: 'notification', resourceId: notificationId, permission: 'manage' } as const
  const mayManage = useExplainedPermission(asked).data?.result
  return (
    <DetailLayout
      parent={{ title: words.title, link: links.notifications() }}
      title={displayName}
      label={displayName}
      facts={
        <>
          <Id value={notificationId} name={words.id} />
          <PageAnchor link={links.access('notification', notificationId)}>{pages.access}</PageAnchor>
        </>
      }
      actions={
        <>
          <CodeExamples requests={[example('get', route, { path: { notificationId } })]} />
          <DeleteNotification notification={notification} isDisabled={mayManage !== true} />
        </>
      }
      tab={tab}
      onTab={(next) => void change({ tab: next })}
      tabs={[
        {
          id: 'edit',
          title: words.tabs.edit,
          render: () => (
            <EditTab notification={notification} isReadOnly={mayManage === false} asked={asked} />
          ),
        },
        {
          id: 'recipients',
          title: words.tabs.recipients,
          render: () => <RecipientsTab notification={notification} />,
        },
        {
          id: 'deliveries',
          title: words.tabs.deliveries,
          render: () => <DeliveriesTab notification={notification} />,
        },
      ]}
    />
  )
}

function DeleteNotification(props: { notification: Notification; isDisabled: boolean }) {
  const { remove: words } = useWords('notifications')
  const { id: notificationId, displayName } = props.notification
  const api = useApi()
  return (
    <DeleteButton
      action={words.action}
      title={words.title}
      name={displayName}
      isDisabled={props.isDisabled}
      onDelete={() => api.delete(route, { path: { notificationId }, signal: withTimeout() })}
      next={links.notifications()}
      cached={{ one: ['notification', notificationId], lists: ['notifications'] }}
    >
      {words.text}
    </DeleteButton>
  )
}
