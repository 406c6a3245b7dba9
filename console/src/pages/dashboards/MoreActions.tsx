import { ActionIcon, Menu } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { lazyPart } from '../../load-part.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { ConfirmByName } from '../../parts/ConfirmByName.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { PartBoundary } from '../../parts/PartBoundary.tsx'
import { useExplainedPermission } from '../../parts/why/Permission.tsx'
import { WhyPanel } from '../../parts/why/WhyPanel.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { exportDashboard } from './exported.ts'
import { type Dashboard, deleteDashboard, manageDashboard, useMayManage } from './use-dashboard.ts'

const VersionHistory = lazyPart(() => import('./versions/VersionHistory.tsx'))
const RenameDashboard = lazyPart(() => import('./RenameDashboard.tsx'))
const ShareDialog = lazyPart(() => import('./share/ShareDialog.tsx'))

/** Menu of what is done seldom: sharing, name, history, export, deletion. */
export function MoreActions({ dashboard }: { dashboard: Dashboard }) {
  const words = useWords('dashboards')
  const common = useWords('common')
  const kiosk = useWords('kiosk')
  const { pages } = useWords('shell')
  const router = useRouter()
  const [isHistory, history] = useDisclosure()
  const [isRenaming, renaming] = useDisclosure()
  const [isSharing, sharing] = useDisclosure()
  const [isDeleting, deleting] = useDisclosure()
  const [isWhy, why] = useDisclosure()
  const mayNot = useMayManage(dashboard.id) === false
  const mayNotDelete = useExplainedPermission(deleteDashboard(dashboard.id)).data?.result === false
  const reason = mayNot ? words.mayNotManage : words.mayNotDelete
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label={common.moreActions} title={common.moreActions}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={sharing.open}>{kiosk.share}</Menu.Item>
          <Menu.Item onClick={() => void router.navigate(links.access('dashboard', dashboard.id) as never)}>
            {pages.access}
          </Menu.Item>
          <Menu.Item disabled={mayNot} onClick={renaming.open}>
            {words.rename}
          </Menu.Item>
          <Menu.Item disabled={mayNot} onClick={history.open}>
            {words.history}
          </Menu.Item>
          <Menu.Item onClick={() => exportDashboard(dashboard, dashboard.data)}>{words.exportFile}</Menu.Item>
          <Menu.Item disabled={mayNotDelete} color="red" onClick={deleting.open}>
            {words.delete}
          </Menu.Item>
          {(mayNot || mayNotDelete) && (
            <>
              <Menu.Divider />
              <Menu.Label>{reason}</Menu.Label>
              <Menu.Item onClick={why.open}>{common.why}</Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <PartBoundary>
        {isSharing && <ShareDialog dashboard={dashboard} onClose={sharing.close} />}
        {isHistory && <VersionHistory dashboard={dashboard} onClose={history.close} />}
        {isRenaming && <RenameDashboard dashboard={dashboard} onClose={renaming.close} />}
      </PartBoundary>
      <WhyPanel
        isOpen={isWhy}
        onClose={why.close}
        reason={reason}
        permission={mayNot ? manageDashboard(dashboard.id) : deleteDashboard(dashboard.id)}
      />
      <DeleteDialog dashboard={dashboard} isOpen={isDeleting} onClose={deleting.close} />
    </>
  )
}

function DeleteDialog(props: { dashboard: Dashboard; isOpen: boolean; onClose: () => void }) {
  const { id, displayName } = props.dashboard
  const words = useWords('dashboards')
  const api = useApi()
  const cache = useQueryClient()
  const router = useRouter()
  const remove = async () => {
    await api.delete('/v1/dashboards/{dashboardId}', { path: { dashboardId: id }, signal: withTimeout() })
    await router.navigate(links.dashboards() as never)
    cache.removeQueries({ queryKey: ['dashboard', id] })
    for (const queryKey of [['dashboards'], ['deleted-dashboards']])
      void cache.invalidateQueries({ queryKey })
  }
  return (
    <ConfirmByName
      isOpen={props.isOpen}
      onClose={props.onClose}
      title={words.delete}
      name={displayName}
      action={words.delete}
      onConfirm={remove}
    >
      <p>{words.deleteText}</p>
    </ConfirmByName>
  )
}
