import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { lazyPart } from '../../load-part.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { PartBoundary } from '../../parts/PartBoundary.tsx'
import { example } from '../../parts/code/example.ts'
import { DetailLayout, type Tab } from '../../parts/layout/DetailLayout.tsx'
import { onFirstUse } from '../../parts/on-first-use.tsx'
import { Failed, Loading, Notice } from '../../parts/State.tsx'
import { choice, useUrlState } from '../../url-state.ts'
import { useExplainedPermission } from '../../parts/why/Permission.tsx'
import { useWords } from '../../words/words.tsx'
import { DisabledReason } from '../models/DisabledReason.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { AssetFacts } from './AssetFacts.tsx'
import type { Dialog } from './AssetDialogs.tsx'
import { type Asset, useContents } from './contents.ts'
import { listRequests } from './list-requests.ts'
import { SignalsTab } from './SignalsTab.tsx'
import { useAssetAlarms } from './use-asset-alarms.ts'

const tabIds = ['signals', 'dashboards', 'properties', 'commands', 'alarms', 'bindings'] as const
export type TabId = (typeof tabIds)[number]

const pages = {
  signals: SignalsTab,
  dashboards: lazyPart(() => import('../dashboards/AssetDashboards.tsx')),
  properties: lazyPart(() => import('./PropertiesTab.tsx')),
  commands: lazyPart(() => import('./CommandsTab.tsx')),
  alarms: lazyPart(() => import('./AlarmsTab.tsx')),
  bindings: lazyPart(() => import('./BindingsTab.tsx')),
}
const AssetDialogs = lazyPart(() => import('./AssetDialogs.tsx'))
const AssetMenu = onFirstUse(() => import('./AssetMenu.tsx'))

const fields = { tab: choice(tabIds) }

export default function AssetPage() {
  const { assetId } = useParams({ strict: false }) as { assetId: string }
  const api = useApi()
  const common = useWords('common')
  const asset = useQuery({
    queryKey: ['asset', assetId],
    queryFn: ({ signal }) =>
      api.get('/v1/assets/{assetId}', { path: { assetId }, signal: withTimeout(signal) }),
    staleTime: 60_000,
  })
  if (asset.isPending) return <Loading />
  if (asset.data === undefined) return <Failed error={asset.error} onRetry={() => void asset.refetch()} />
  return (
    <>
      {asset.error !== null && <Notice kind="warning">{common.refreshFailed}</Notice>}
      <AssetDetail key={asset.data.id} asset={asset.data} />
    </>
  )
}

function AssetDetail({ asset }: { asset: Asset }) {
  const words = useWords('assets')
  const common = useWords('common')
  const router = useRouter()
  const [{ tab }, change] = useUrlState(fields)
  const [dialog, setDialog] = useState<Dialog | null>(null)
  const alarms = useAssetAlarms(asset.id)
  const { contents } = useContents(asset.modelId)
  const toManage = { resourceType: 'asset', resourceId: asset.id, permission: 'manage' } as const
  const toDelete = { ...toManage, permission: 'delete' } as const
  const mayManage = useExplainedPermission(toManage).data?.result !== false
  const mayDelete = useExplainedPermission(toDelete).data?.result !== false
  const tabs: Tab<TabId>[] = tabIds.map((id) => {
    const Page = pages[id]
    const count = id === 'alarms' && alarms.data?.length ? String(alarms.data.length) : undefined
    const requests = listRequests(id, asset, contents)
    return { id, title: words.tabs[id], count, requests, render: () => <Page asset={asset} /> }
  })
  return (
    <>
      <DetailLayout
        parent={{ title: words.title, link: links.assets() }}
        title={asset.displayName}
        label={asset.displayName}
        facts={<AssetFacts asset={asset} alarms={alarms} />}
        requests={[example('get', '/v1/assets/{assetId}', { path: { assetId: asset.id } })]}
        actions={
          <>
            <Button disabled={!mayManage} onClick={() => setDialog('replace')}>
              {words.replace.action}
            </Button>
            <AssetMenu
              mayManage={mayManage}
              mayDelete={mayDelete}
              onChoose={setDialog}
              button={<Button aria-label={common.moreActions}>⋯</Button>}
            />
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
      {dialog !== null && (
        <PartBoundary>
          <AssetDialogs
            asset={asset}
            dialog={dialog}
            openAlarms={alarms.data?.length ?? 0}
            onClose={() => setDialog(null)}
            onDeleted={() => void router.navigate(links.assets() as never)}
          />
        </PartBoundary>
      )}
    </>
  )
}
