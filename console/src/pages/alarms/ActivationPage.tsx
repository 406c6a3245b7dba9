import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { lazyPart } from '../../load-part.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { useLiveStore } from '../../live/LiveProvider.tsx'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { example } from '../../parts/code/example.ts'
import { Id, Name } from '../../parts/Id.tsx'
import { DetailLayout } from '../../parts/layout/DetailLayout.tsx'
import { Outdated } from '../../parts/Outdated.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { PartBoundary } from '../../parts/PartBoundary.tsx'
import { Failed, Loading } from '../../parts/State.tsx'
import { Severity, StateMark } from '../../parts/StateMark.tsx'
import { choice, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { LifeTab } from './LifeTab.tsx'
import { marks, type Status } from './status.ts'

const AcknowledgeDialog = lazyPart(() => import('./AcknowledgeDialog.tsx'))
const DeliveriesTab = lazyPart(() => import('./DeliveriesTab.tsx'))
const BeforeTab = lazyPart(() => import('./BeforeTab.tsx'))

const route = '/v1/alarms/status/{alarmStatusId}'
const fields = { tab: choice(['life', 'deliveries', 'history']) }

/** One activation of an alarm, from the sample that caused it to its end. */
export default function ActivationPage() {
  const { alarmStatusId } = useParams({ strict: false }) as { alarmStatusId: string }
  const api = useApi()
  const status = useQuery({
    queryKey: ['alarms', 'one', alarmStatusId],
    queryFn: ({ signal }) => api.get(route, { path: { alarmStatusId }, signal: withTimeout(signal) }),
  })
  useFollowed(status.data)
  if (status.isPending) return <Loading />
  if (status.data === undefined)
    return <Failed isPage error={status.error} onRetry={() => void status.refetch()} />
  return (
    <>
      {status.error !== null && <Outdated error={status.error} onRetry={() => void status.refetch()} />}
      <Activation key={alarmStatusId} status={status.data} />
    </>
  )
}

/** Follows the status of the page by the real-time connection, as long as it is open. */
function useFollowed(status: Status | undefined) {
  const cache = useQueryClient()
  const live = useLiveStore()
  const id = status?.alarmStatusId
  const assetId = status?.state === 'cleared' ? undefined : status?.entityId
  useEffect(() => {
    if (assetId === undefined) return
    const queryKey = ['alarms', 'one', id]
    const subscription = live.connect().subscribe(
      { topic: 'alarm', assets: [assetId] },
      (event) => {
        if (event.status.alarmStatusId === id) cache.setQueryData(queryKey, event.status)
      },
      { onGap: () => void cache.invalidateQueries({ queryKey }) },
    )
    // Its end before the subscription began was not pushed.
    subscription.started.then(
      () => void cache.invalidateQueries({ queryKey }),
      () => {},
    )
    return () => subscription.stop()
  }, [cache, live, id, assetId])
}

function Activation({ status }: { status: Status }) {
  const words = useWords('alarms')
  const [{ tab }, change] = useUrlState(fields)
  const [isAcknowledging, dialog] = useDisclosure()
  const { alarmStatusId, alarmId, alarmName, entityId, entityName, severity, state } = status
  return (
    <>
      <DetailLayout
        parent={{ title: words.title, link: links.alarms() }}
        title={alarmName}
        label={alarmName}
        facts={
          <>
            <Severity severity={severity} />
            <StateMark state={marks[state]}>{words.states[state]}</StateMark>
            <PageAnchor link={links.asset(entityId, { tab: 'alarms' })}>
              <Name>{entityName}</Name>
            </PageAnchor>
            {status.clearedReason !== 'alarm_deleted' && (
              <PageAnchor link={links.rule(alarmId)}>{words.rule}</PageAnchor>
            )}
            <Id value={alarmStatusId} name={words.id} />
          </>
        }
        actions={
          <>
            <CodeExamples requests={[example('get', route, { path: { alarmStatusId } })]} />
            {!status.acknowledged && state !== 'cleared' && (
              <Button variant="filled" onClick={dialog.open}>
                {words.acknowledge.action}
              </Button>
            )}
          </>
        }
        tab={tab}
        onTab={(next) => void change({ tab: next })}
        tabs={[
          { id: 'life', title: words.tabs.life, render: () => <LifeTab status={status} /> },
          { id: 'deliveries', title: words.tabs.deliveries, render: () => <DeliveriesTab status={status} /> },
          { id: 'history', title: words.tabs.history, render: () => <BeforeTab status={status} /> },
        ]}
      />
      {isAcknowledging && (
        <PartBoundary>
          <AcknowledgeDialog statuses={[status]} onClose={dialog.close} />
        </PartBoundary>
      )}
    </>
  )
}
