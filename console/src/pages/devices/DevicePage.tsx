import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { lazyPart } from '../../load-part.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { whileShown } from '../../api/refetch.ts'
import { links } from '../../links.ts'
import { example } from '../../parts/code/example.ts'
import { ConfirmByName } from '../../parts/ConfirmByName.tsx'
import { Id } from '../../parts/Id.tsx'
import { DetailLayout, type Tab } from '../../parts/layout/DetailLayout.tsx'
import { onFirstUse } from '../../parts/on-first-use.tsx'
import { Outdated } from '../../parts/Outdated.tsx'
import { Refusal } from '../../parts/Refusal.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { PartBoundary } from '../../parts/PartBoundary.tsx'
import { Failed, Loading } from '../../parts/State.tsx'
import { choice, useUrlState } from '../../url-state.ts'
import { useExplainedPermission } from '../../parts/why/Permission.tsx'
import { useWords } from '../../words/words.tsx'
import { DisabledReason } from '../models/DisabledReason.tsx'
import type { Device } from './connection.ts'
import { DeviceFacts } from './DeviceFacts.tsx'
import type { DeviceDialog } from './DeviceMenu.tsx'
import styles from './Devices.module.css'
import { listRequests } from './list-requests.ts'
import { LiveTab } from './LiveTab.tsx'
import { useDeadLetterCount } from './use-dead-letter-count.ts'

const tabIds = [
  'live',
  'connect',
  'twin',
  'methods',
  'messages',
  'connections',
  'bindings',
  'firmware',
  'limits',
  'credentials',
] as const
export type TabId = (typeof tabIds)[number]

const pages = {
  connect: lazyPart(() => import('./ConnectTab.tsx')),
  twin: lazyPart(() => import('./TwinTab.tsx')),
  methods: lazyPart(() => import('./MethodsTab.tsx')),
  messages: lazyPart(() => import('./MessagesTab.tsx')),
  connections: lazyPart(() => import('./ConnectionsTab.tsx')),
  bindings: lazyPart(() => import('./BindingsTab.tsx')),
  firmware: lazyPart(() => import('./FirmwareTab.tsx')),
  limits: lazyPart(() => import('./LimitsTab.tsx')),
  credentials: lazyPart(() => import('./CredentialsTab.tsx')),
}

const DeviceMenu = onFirstUse(() => import('./DeviceMenu.tsx'))
const ReplaceThisDevice = lazyPart(() => import('./ReplaceThisDevice.tsx'))

const fields = { tab: choice(tabIds) }
const REFRESH_MS = 15_000

export default function DevicePage() {
  const path = useParams({ strict: false }) as { providerId: string; clientId: string }
  const api = useApi()
  const device = useQuery({
    queryKey: ['device', path.providerId, path.clientId],
    queryFn: ({ signal }) => api.get('/v1/providers/{providerId}/clients/{clientId}', { path, signal }),
    refetchInterval: whileShown(REFRESH_MS),
  })
  if (device.isPending) return <Loading />
  if (device.data === undefined)
    return <Failed isPage error={device.error} onRetry={() => void device.refetch()} />
  return (
    <>
      {device.error !== null && <Outdated error={device.error} onRetry={() => void device.refetch()} />}
      <DeviceDetail key={device.data.id} device={device.data} />
    </>
  )
}

function DeviceDetail({ device }: { device: Device }) {
  const words = useWords('devices')
  const { pages: titles } = useWords('shell')
  const [{ tab }, change] = useUrlState(fields)
  const path = { providerId: device.providerId, clientId: device.id }
  const toManage = { resourceType: 'provider_client', resourceId: device.id, permission: 'manage' } as const
  const toDelete = { ...toManage, permission: 'delete' } as const
  const mayManage = useExplainedPermission(toManage).data?.result !== false
  const mayDelete = useExplainedPermission(toDelete).data?.result !== false
  const deadLetters = useDeadLetterCount(device)
  const tabs: Tab<TabId>[] = tabIds.map((id) => {
    const Page = id === 'live' ? LiveTab : pages[id]
    const count = id === 'messages' ? deadLetters : undefined
    const requests = listRequests(id, device)
    return { id, title: words.tabs[id], count, requests, render: () => <Page device={device} /> }
  })
  return (
    <DetailLayout
      parent={{ title: words.title, link: links.devices() }}
      title={device.displayName}
      label={device.displayName}
      facts={
        <>
          <DeviceFacts device={device} />
          <Id value={device.id} name={words.id} />
          <PageAnchor link={links.access('provider_client', device.id)}>{titles.access}</PageAnchor>
        </>
      }
      requests={[example('get', '/v1/providers/{providerId}/clients/{clientId}', { path })]}
      actions={
        <>
          <EnableButton device={device} isDisabled={!mayManage} />
          <RareActions device={device} mayDelete={mayDelete} />
          {mayManage ? (
            <DisabledReason reason={words.remove.mayNot} asked={toDelete} />
          ) : (
            <DisabledReason reason={words.mayNotManage} asked={toManage} />
          )}
        </>
      }
      tab={tab}
      onTab={(next) => void change({ tab: next })}
      tabs={tabs}
    />
  )
}

/** Menu of the rarer actions, with their dialogs. */
function RareActions({ device, mayDelete }: { device: Device; mayDelete: boolean }) {
  const common = useWords('common')
  const [dialog, setDialog] = useState<DeviceDialog | null>(null)
  const close = () => setDialog(null)
  return (
    <>
      <DeviceMenu
        mayDelete={mayDelete}
        onChoose={setDialog}
        button={<Button aria-label={common.moreActions}>⋯</Button>}
      />
      <DeleteDialog device={device} isOpen={dialog === 'delete'} onClose={close} />
      {dialog === 'replace' && (
        <PartBoundary>
          <ReplaceThisDevice device={device} onClose={close} />
        </PartBoundary>
      )}
    </>
  )
}

interface DeleteProps {
  device: Device
  isOpen: boolean
  onClose: () => void
}

function DeleteDialog({ device, isOpen, onClose }: DeleteProps) {
  const { remove: words } = useWords('devices')
  const api = useApi()
  const cache = useQueryClient()
  const router = useRouter()
  const path = { providerId: device.providerId, clientId: device.id }
  const remove = async () => {
    await api.delete('/v1/providers/{providerId}/clients/{clientId}', { path })
    await router.navigate(links.devices() as never)
    cache.removeQueries({ queryKey: ['device', device.providerId, device.id] })
    await cache.invalidateQueries({ queryKey: ['devices'] })
  }
  return (
    <ConfirmByName
      isOpen={isOpen}
      onClose={onClose}
      title={words.title}
      name={device.id}
      action={words.action}
      onConfirm={remove}
    >
      <p>{words.text}</p>
    </ConfirmByName>
  )
}

/** Button that enables a device at once, and disables it after a dialog that states the consequences. */
function EnableButton({ device, isDisabled }: { device: Device; isDisabled: boolean }) {
  const words = useWords('devices')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const [isOpen, dialog] = useDisclosure()
  const [isRunning, setRunning] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const path = { providerId: device.providerId, clientId: device.id }
  const set = async (enabled: boolean) => {
    setRunning(true)
    setFailure(null)
    try {
      const changed = await api.patch('/v1/providers/{providerId}/clients/{clientId}', {
        path,
        body: { enabled },
      })
      cache.setQueryData(['device', device.providerId, device.id], changed)
      dialog.close()
    } catch (error) {
      setFailure(error)
      dialog.open()
    } finally {
      setRunning(false)
    }
  }
  const label = device.enabled ? words.disable : words.enable
  return (
    <>
      <Button
        loading={isRunning && !isOpen}
        disabled={isDisabled}
        onClick={() => (device.enabled ? dialog.open() : void set(true))}
      >
        {label}
      </Button>
      <Modal
        opened={isOpen}
        onClose={dialog.close}
        title={label}
        closeButtonProps={{ 'aria-label': common.close }}
      >
        <div className={styles.fields}>
          {device.enabled && <p>{words.disableText}</p>}
          {failure !== null && <Refusal error={failure} />}
          <div className={styles.bar}>
            <Button onClick={dialog.close}>{common.cancel}</Button>
            <Button variant="filled" loading={isRunning} onClick={() => void set(!device.enabled)}>
              {label}
            </Button>
          </div>
        </div>
      </Modal>
    </>
  )
}
