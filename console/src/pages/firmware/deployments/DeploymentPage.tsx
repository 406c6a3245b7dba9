import { useParams } from '@tanstack/react-router'
import { useFormat } from '../../../format.ts'
import { links } from '../../../links.ts'
import { Id } from '../../../parts/Id.tsx'
import { DetailLayout } from '../../../parts/layout/DetailLayout.tsx'
import { Outdated } from '../../../parts/Outdated.tsx'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { Failed, Loading, Notice } from '../../../parts/State.tsx'
import { StateMark } from '../../../parts/StateMark.tsx'
import { RelativeTime } from '../../../parts/time/RelativeTime.tsx'
import { useExplainedPermission } from '../../../parts/why/Permission.tsx'
import { choice, text, useUrlState } from '../../../url-state.ts'
import { useWords } from '../../../words/words.tsx'
import { WhyNot } from '../../models/WhyNot.tsx'
import { countFailing, type DeploymentDetails, deploymentMarks, updateStates } from './deployment.ts'
import { DeploymentActions } from './DeploymentActions.tsx'
import { PlanTab } from './PlanTab.tsx'
import { UpdatesTab } from './UpdatesTab.tsx'
import { useDeployment } from './use-deployment.ts'
import { WaveTable } from './WaveTable.tsx'

const fields = {
  tab: choice(['failing', 'devices', 'rollbacks', 'plan']),
  status: choice(['', ...updateStates]),
  wave: text(),
  search: text(),
  update: text(),
}

export default function DeploymentPage() {
  const { deploymentId } = useParams({ strict: false }) as { deploymentId: string }
  const { deployment, restart } = useDeployment(deploymentId)
  if (deployment.isPending) return <Loading />
  if (deployment.data === undefined)
    return <Failed isPage error={deployment.error} onRetry={() => void deployment.refetch()} />
  return (
    <Detail
      key={deploymentId}
      deployment={deployment.data}
      error={deployment.error}
      onChanged={restart}
      onRetry={() => void deployment.refetch()}
    />
  )
}

interface DetailProps {
  deployment: DeploymentDetails
  /** Why the counts could not be read again. */
  error: unknown
  /** Called after the user has changed the deployment. */
  onChanged: () => void
  onRetry: () => void
}

function Detail({ deployment, error, onChanged, onRetry }: DetailProps) {
  const words = useWords('deployments')
  const format = useFormat()
  const [state, change] = useUrlState(fields)
  const { id, displayName, status, statusMessage, counts, rollbacks } = deployment
  const asked = { resourceType: 'firmware', resourceId: id, permission: 'manage' } as const
  const mayManage = useExplainedPermission(asked).data?.result
  const rollbackCount = Object.values(rollbacks).reduce((sum, count) => sum + count, 0)
  return (
    <DetailLayout
      parent={{ title: words.title, link: links.firmware() }}
      title={displayName}
      label={displayName}
      facts={<Facts deployment={deployment} />}
      actions={
        <DeploymentActions deployment={deployment} mayManage={mayManage === true} onChanged={onChanged} />
      }
      tab={state.tab}
      onTab={(tab) => void change({ tab, status: '', wave: '', search: '', update: '' })}
      tabs={[
        {
          id: 'failing',
          title: words.tabs.failing,
          count: format.number(countFailing(counts)),
          render: () => <UpdatesTab deployment={deployment} kind="failing" state={state} change={change} />,
        },
        {
          id: 'devices',
          title: words.tabs.devices,
          count: format.number(deployment.total),
          render: () => <UpdatesTab deployment={deployment} kind="update" state={state} change={change} />,
        },
        {
          id: 'rollbacks',
          title: words.tabs.rollbacks,
          count: format.number(rollbackCount),
          render: () => <UpdatesTab deployment={deployment} kind="rollback" state={state} change={change} />,
        },
        { id: 'plan', title: words.tabs.plan, render: () => <PlanTab deployment={deployment} /> },
      ]}
    >
      {error !== null && <Outdated error={error} onRetry={onRetry} />}
      {mayManage === false && (
        <Notice kind="info">
          {words.readOnly} <WhyNot reason={words.readOnly} asked={asked} />
        </Notice>
      )}
      {statusMessage !== null && (
        <Notice kind={status === 'Stopped' ? 'warning' : 'info'}>
          <bdi>{statusMessage}</bdi>
        </Notice>
      )}
      <WaveTable
        deployment={deployment}
        onChoose={(chosen) => void change({ tab: 'devices', search: '', update: '', ...chosen })}
      />
    </DetailLayout>
  )
}

function Facts({ deployment }: { deployment: DeploymentDetails }) {
  const words = useWords('deployments')
  const { pages } = useWords('shell')
  const format = useFormat()
  const { id, status, releaseId, releaseName, startedAt, endedAt, wave, waves } = deployment
  return (
    <>
      <StateMark state={deploymentMarks[status]}>{words.states[status]}</StateMark>
      <span>
        {words.release}{' '}
        <PageAnchor link={links.release(releaseId)}>
          <bdi>{releaseName}</bdi>
        </PageAnchor>
      </span>
      <span>{words.waveOf(format.number(wave), format.number(waves.length))}</span>
      <span>
        {words.started} {startedAt === null ? words.notYet : <RelativeTime at={startedAt} />}
      </span>
      <span>{endedAt === null ? words.runningText : words.endedText(format.full(endedAt))}</span>
      <Id value={id} name={words.id} />
      <PageAnchor link={links.access('firmware', id)}>{pages.access}</PageAnchor>
    </>
  )
}
