import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { links } from '../../../links.ts'
import { DeleteButton } from '../../../parts/DeleteButton.tsx'
import { CodeExamples } from '../../../parts/code/CodeExamples.tsx'
import { example } from '../../../parts/code/example.ts'
import { ConfirmByName } from '../../../parts/ConfirmByName.tsx'
import { Refusal } from '../../../parts/Refusal.tsx'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import { countFailing, type DeploymentDetails, isOver } from './deployment.ts'
import { RollBack } from './RollBack.tsx'
import { deploymentRoute } from './use-deployment.ts'

interface Props {
  deployment: DeploymentDetails
  mayManage: boolean
  onChanged: () => void
}

/** Pause, resume, cancel, roll back, deploy again to what failed, and delete: those that the state allows. */
export function DeploymentActions(props: Props) {
  const { deployment, mayManage } = props
  const words = useWords('deployments')
  const router = useRouter()
  const { id, status, counts, releaseId, deploymentTemplateId } = deployment
  const path = { deploymentId: id }
  const failing = countFailing(counts)
  return (
    <>
      <CodeExamples requests={[example('get', deploymentRoute, { path })]} />
      {!isOver(deployment) && <PauseOrResume {...props} />}
      {!isOver(deployment) && <Cancel {...props} />}
      {isOver(deployment) && failing > 0 && (
        <Button
          disabled={!mayManage}
          onClick={() =>
            void router.navigate(
              links.newDeployment({
                of: id,
                states: 'Failed,Rejected',
                release: releaseId,
                template: deploymentTemplateId,
              }) as never,
            )
          }
        >
          {words.retry}
        </Button>
      )}
      {(status !== 'Ready' || isOver(deployment)) && (
        <RollBack deployment={deployment} mayManage={mayManage} />
      )}
      {deployment.endedAt !== null && <Delete {...props} />}
    </>
  )
}

/** Reads again what a change has changed. */
function useRead(id: string, onChanged: () => void) {
  const cache = useQueryClient()
  return async () => {
    onChanged()
    void cache.invalidateQueries({ queryKey: ['deployments'] })
    await cache.invalidateQueries({ queryKey: ['deployment', id] })
  }
}

function PauseOrResume({ deployment: { id, status }, mayManage, onChanged }: Props) {
  const words = useWords('deployments')
  const api = useApi()
  const read = useRead(id, onChanged)
  const event = status === 'Paused' ? 'resume' : 'pause'
  const change = useMutation({
    mutationFn: () =>
      api.post(`${deploymentRoute}/${event}`, { path: { deploymentId: id }, signal: withTimeout() }),
    onSettled: read,
  })
  return (
    <>
      {change.error !== null && <Refusal error={change.error} />}
      <Button loading={change.isPending} disabled={!mayManage} onClick={() => change.mutate()}>
        {words[event]}
      </Button>
    </>
  )
}

function Cancel({ deployment: { id, displayName, counts }, mayManage, onChanged }: Props) {
  const words = useWords('deployments')
  const format = useFormat()
  const api = useApi()
  const read = useRead(id, onChanged)
  const [isOpen, dialog] = useDisclosure()
  const cancel = async () => {
    await api.post(`${deploymentRoute}/cancel`, { path: { deploymentId: id }, signal: withTimeout() })
    await read()
  }
  return (
    <>
      <Button color="red" variant="outline" disabled={!mayManage} onClick={dialog.open}>
        {words.cancel}
      </Button>
      <ConfirmByName
        isOpen={isOpen}
        onClose={dialog.close}
        title={words.cancelTitle}
        name={displayName}
        action={words.cancel}
        onConfirm={cancel}
      >
        {words.cancelText(format.number(counts.Ready), format.number(counts.Running))}
      </ConfirmByName>
    </>
  )
}

function Delete({ deployment: { id, displayName, total }, mayManage }: Props) {
  const words = useWords('deployments')
  const format = useFormat()
  const api = useApi()
  return (
    <DeleteButton
      action={words.delete}
      title={words.deleteTitle}
      name={displayName}
      isDisabled={!mayManage}
      onDelete={() => api.delete(deploymentRoute, { path: { deploymentId: id }, signal: withTimeout() })}
      next={links.firmware()}
      cached={{ one: ['deployment', id], lists: ['deployments'] }}
    >
      {words.deleteText(format.number(total))}
    </DeleteButton>
  )
}
