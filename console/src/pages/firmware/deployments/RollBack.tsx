import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { links } from '../../../links.ts'
import { Failed, Loading, Notice } from '../../../parts/State.tsx'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import styles from '../Firmware.module.css'
import { type DeploymentDetails, isOver } from './deployment.ts'

interface Props {
  deployment: DeploymentDetails
  mayManage: boolean
}

/** Prepares new deployments of the releases that the devices had before. */
export function RollBack({ deployment, mayManage }: Props) {
  const { back: words } = useWords('deployments')
  const common = useWords('common')
  const [isOpen, dialog] = useDisclosure()
  return (
    <>
      <Button disabled={!mayManage} onClick={dialog.open}>
        {words.action}
      </Button>
      <Modal
        opened={isOpen}
        onClose={dialog.close}
        title={words.title}
        closeButtonProps={{ 'aria-label': common.close }}
      >
        <div className={styles.dialog}>
          <p>{words.text}</p>
          {isOver(deployment) ? (
            <PreviousReleases deployment={deployment} />
          ) : (
            <Notice kind="warning">{words.notOver}</Notice>
          )}
        </div>
      </Modal>
    </>
  )
}

function PreviousReleases({ deployment }: { deployment: DeploymentDetails }) {
  const { back: words } = useWords('deployments')
  const format = useFormat()
  const api = useApi()
  const router = useRouter()
  const { id: deploymentId, deploymentTemplateId } = deployment
  const releases = useQuery({
    queryKey: ['previous-releases', deploymentId],
    queryFn: ({ signal }) =>
      api.get('/v1/firmware/deployments/{deploymentId}/previous-releases', {
        path: { deploymentId },
        signal: withTimeout(signal),
      }),
    staleTime: 0,
  })
  if (releases.isPending) return <Loading rows={2} />
  if (releases.data === undefined)
    return <Failed error={releases.error} onRetry={() => void releases.refetch()} />
  if (releases.data.length === 0) return <p>{words.nothing}</p>
  return (
    <ul className={styles.choices}>
      {releases.data.map(({ releaseId, releaseName, clients }) => {
        const devices = words.devices(clients, format.number(clients))
        if (releaseId === null) return <li key="unknown">{words.unknown(devices)}</li>
        const search = {
          of: deploymentId,
          previous: releaseId,
          release: releaseId,
          template: deploymentTemplateId,
          name: words.name(releaseName ?? releaseId),
        }
        return (
          <li key={releaseId}>
            <Button onClick={() => void router.navigate(links.newDeployment(search) as never)}>
              <bdi>{words.to(releaseName ?? releaseId, devices)}</bdi>
            </Button>
          </li>
        )
      })}
    </ul>
  )
}
