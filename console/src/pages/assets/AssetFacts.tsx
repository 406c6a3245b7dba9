import type { UseQueryResult } from '@tanstack/react-query'
import type { Schemas } from '@gangway/client'
import { useRouter } from '@tanstack/react-router'
import { links } from '../../links.ts'
import { Id, Name } from '../../parts/Id.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Severity, StateMark } from '../../parts/StateMark.tsx'
import { useWords } from '../../words/words.tsx'
import styles from './Assets.module.css'
import { type Asset, useContents } from './contents.ts'
import { placeKey } from './place.ts'
import { usePlaces } from './use-places.ts'
import { Way } from './Way.tsx'

interface Props {
  asset: Asset
  alarms: UseQueryResult<Schemas['AlarmStatus'][]>
}

/** Facts about an asset: its alarms, model, places and id. */
export function AssetFacts({ asset, alarms }: Props) {
  const words = useWords('assets')
  const { pages } = useWords('shell')
  const router = useRouter()
  const places = usePlaces({ type: 'asset', id: asset.id })
  return (
    <>
      <AlarmFact asset={asset} alarms={alarms} />
      <ModelFact modelId={asset.modelId} />
      {places.data?.map(({ edgeId, path }) => (
        <Way
          key={edgeId}
          path={path}
          onGo={(place) => void router.navigate(links.assets(place ? { at: placeKey(place) } : {}) as never)}
        />
      ))}
      {places.data?.length === 0 && <span className={styles.note}>{words.standsNowhere}</span>}
      <Id value={asset.id} name={words.id} />
      <PageAnchor link={links.access('asset', asset.id)}>{pages.access}</PageAnchor>
    </>
  )
}

function AlarmFact({ asset, alarms }: Props) {
  const { alarms: words } = useWords('assets')
  const open = alarms.data
  if (open === undefined) return null
  const [worst] = open.toSorted((a, b) => b.severity - a.severity)
  if (worst === undefined) return <StateMark state="good">{words.none}</StateMark>
  return (
    <PageAnchor link={links.asset(asset.id, { tab: 'alarms' })} className={styles.alarms}>
      <Severity severity={worst.severity} />
      {words.count(open.length)}
    </PageAnchor>
  )
}

function ModelFact({ modelId }: { modelId: string }) {
  const words = useWords('assets')
  const { data } = useContents(modelId)
  return (
    <span className={styles.fact} title={modelId}>
      {words.model}{' '}
      <PageAnchor link={links.model(modelId)}>
        <Name>{data?.displayName ?? modelId}</Name>
      </PageAnchor>
    </span>
  )
}
