import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams, useRouter } from '@tanstack/react-router'
import { lazyPart } from '../../../load-part.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { whileShown } from '../../../api/refetch.ts'
import { links } from '../../../links.ts'
import { CodeExamples } from '../../../parts/code/CodeExamples.tsx'
import { example } from '../../../parts/code/example.ts'
import { ConfirmByName } from '../../../parts/ConfirmByName.tsx'
import { Id } from '../../../parts/Id.tsx'
import { DetailLayout, type Tab } from '../../../parts/layout/DetailLayout.tsx'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { Refusal } from '../../../parts/Refusal.tsx'
import { Empty, Failed, Loading, Notice } from '../../../parts/State.tsx'
import { StateMark } from '../../../parts/StateMark.tsx'
import { choice, useUrlState } from '../../../url-state.ts'
import { useWords } from '../../../words/words.tsx'
import { useGroup } from '../groups/use-group.ts'
import type { Group } from '../use-groups.ts'
import { ClientLink, ClientNotice } from './ClientLink.tsx'
import {
  findDevice,
  type OnboardingDevice,
  provisionDevice,
  registerDevice,
  removeDevice,
  stateKinds,
} from './device.ts'
import { useKeyWords } from './use-key-words.ts'
import { useProvider } from './use-provider.ts'

const tabIds = ['trace', 'key', 'certificates'] as const
type TabId = (typeof tabIds)[number]

const pages = {
  trace: lazyPart(() => import('./TraceTab.tsx')),
  key: lazyPart(() => import('./KeyTab.tsx')),
  certificates: lazyPart(() => import('../certificates/DeviceCertificates.tsx')),
}

const fields = { tab: choice(tabIds) }
/** The state may change while the page is open, because the device requests settings or automation provisions it. */
const REFRESH_MS = 15_000

export interface DeviceTabProps {
  device: OnboardingDevice
  group: Group
  /** The provider on this server that has the device's client; null if it is another service, or not known. */
  providerId: string | null
}

export default function OnboardingDevicePage() {
  const { groupId, deviceId } = useParams({ strict: false }) as { groupId: string; deviceId: string }
  const { device: words, title } = useWords('onboardingDevices')
  const common = useWords('common')
  const api = useApi()
  const group = useGroup(groupId)
  const device = useQuery({
    queryKey: ['onboarding-device', groupId, deviceId],
    queryFn: ({ signal }) => findDevice(api, groupId, deviceId, signal),
    refetchInterval: whileShown(REFRESH_MS),
  })
  const error = group.error ?? device.error
  const retry = () => {
    void group.refetch()
    void device.refetch()
  }
  if (error !== null && (group.data === undefined || device.data === undefined))
    return <Failed isPage error={error} onRetry={retry} />
  if (group.data === undefined || device.data === undefined) return <Loading />
  if (device.data === null)
    return (
      <Empty
        icon="search"
        title={words.notFoundTitle}
        text={words.notFoundText(deviceId)}
        action={<PageAnchor link={links.onboardingDevices({ group: groupId })}>{title}</PageAnchor>}
      />
    )
  return (
    <>
      {error !== null && <Notice kind="warning">{common.refreshFailed}</Notice>}
      <DeviceDetail key={deviceId} device={device.data} group={group.data} />
    </>
  )
}

function DeviceDetail({ device, group }: { device: OnboardingDevice; group: Group }) {
  const words = useWords('onboardingDevices')
  const [{ tab }, change] = useUrlState(fields)
  const provider = useProvider(group)
  const { providerId } = provider
  const tabs: Tab<TabId>[] = tabIds.map((id) => {
    const Page = pages[id]
    return { id, title: words.device.tabs[id], render: () => <Page {...{ device, group, providerId }} /> }
  })
  return (
    <DetailLayout
      parent={{ title: words.title, link: links.onboardingDevices({ group: group.id }) }}
      title={device.device_id}
      label={device.device_id}
      facts={<DeviceFacts device={device} group={group} />}
      actions={<DeviceActions device={device} group={group} providerId={providerId} />}
      tab={tab}
      onTab={(next) => void change({ tab: next })}
      tabs={tabs}
    >
      {device.status === 'provisioned' && <ClientNotice {...provider} />}
    </DetailLayout>
  )
}

function DeviceFacts({ device, group }: { device: OnboardingDevice; group: Group }) {
  const words = useWords('onboardingDevices')
  const key = useKeyWords()(device)
  return (
    <>
      <StateMark state={stateKinds[device.status]}>{words.states[device.status]}</StateMark>
      <span>
        {words.device.group}{' '}
        <PageAnchor link={links.group(group.id)}>
          <bdi>{group.name}</bdi>
        </PageAnchor>
      </span>
      {key !== '' && <span>{`${words.key}: ${key}`}</span>}
      <Id value={device.device_id} name={words.id} />
    </>
  )
}

function DeviceActions({ device, group, providerId }: DeviceTabProps) {
  const { device: words } = useWords('onboardingDevices')
  const api = useApi()
  const cache = useQueryClient()
  const router = useRouter()
  const [isRemoving, removal] = useDisclosure()
  const { device_id: deviceId, status } = device
  const refresh = () => cache.invalidateQueries({ queryKey: ['onboarding-device', group.id, deviceId] })
  const forward = useMutation({
    mutationFn: (): Promise<unknown> =>
      status === 'registered'
        ? provisionDevice(api, group.id, deviceId)
        : registerDevice(api, group.id, deviceId),
    onSuccess: refresh,
  })
  const remove = async () => {
    await removeDevice(api, group.id, deviceId)
    await router.navigate(links.onboardingDevices({ group: group.id }) as never)
    cache.removeQueries({ queryKey: ['onboarding-device', group.id, deviceId] })
    await cache.invalidateQueries({ queryKey: ['onboarding-devices'] })
  }
  return (
    <>
      <CodeExamples
        requests={[
          example('get', '/api/enrollment-groups/{id}/devices/{deviceId}/trace', {
            path: { id: group.id, deviceId },
          }),
          example('post', '/provision_device', {
            body: { device_id: deviceId, enrollment_group_id: group.id },
          }),
        ]}
      />
      {status === 'provisioned' && providerId !== null && (
        <ClientLink providerId={providerId} deviceId={deviceId} />
      )}
      {status !== 'provisioned' && (
        <Button variant="filled" loading={forward.isPending} onClick={() => forward.mutate()}>
          {status === 'registered' ? words.provision : words.registerAgain}
        </Button>
      )}
      <Button color="red" variant="outline" onClick={removal.open}>
        {words.remove}
      </Button>
      {forward.error !== null && <Refusal error={forward.error} />}
      <ConfirmByName
        isOpen={isRemoving}
        onClose={removal.close}
        title={words.removeTitle}
        name={deviceId}
        action={words.remove}
        onConfirm={remove}
      >
        <p>{words.removeText}</p>
      </ConfirmByName>
    </>
  )
}
