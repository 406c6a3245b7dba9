import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { Item, Schemas } from '@gangway/client'
import { lazyPart } from '../../load-part.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { ConfirmByName } from '../../parts/ConfirmByName.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { PartBoundary } from '../../parts/PartBoundary.tsx'
import { Failed, Loading } from '../../parts/State.tsx'
import { useExplainedPermission } from '../../parts/why/Permission.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { DisabledReason } from '../models/DisabledReason.tsx'
import styles from './Assets.module.css'
import { type Place, placeOf, type TreeChild } from './place.ts'
import { Way } from './Way.tsx'

const Rename = lazyPart(() => import('./Rename.tsx'))

interface Props {
  place: Place
  places: UseQueryResult<Item<'/v1/tree/places'>[]>
  onGo: (place: Place | null) => void
  onMove: (thing: TreeChild) => void
  onChanged: () => void
}

type Thing = Schemas['TreeNode'] | Schemas['Asset']

/** Bar with the name, description, path and actions of the selected place. */
export function PlaceBar(props: Props) {
  const { place, places, onGo } = props
  const words = useWords('assets')
  const api = useApi()
  const thing = useQuery({
    queryKey: ['place', place.type, place.id],
    queryFn: ({ signal }): Promise<Thing> => {
      const options = { signal: withTimeout(signal) }
      return place.type === 'node'
        ? api.get('/v1/tree/nodes/{nodeId}', { path: { nodeId: place.id }, ...options })
        : api.get('/v1/assets/{assetId}', { path: { assetId: place.id }, ...options })
    },
  })
  if (thing.isPending) return <Loading rows={1} />
  if (thing.data === undefined) return <Failed error={thing.error} onRetry={() => void thing.refetch()} />
  const found = places.data?.[0]
  return (
    <section className={styles.place} aria-label={words.chosenPlace}>
      <div className={styles.placeName}>
        <Way path={found?.path ?? []} onGo={onGo} />
        <h2 className={styles.subtitle}>
          <Icon name={place.type === 'node' ? 'node' : 'assets'} />
          <bdi>{thing.data.displayName}</bdi>
        </h2>
        {thing.data.description !== null && (
          <p className={styles.note}>
            <bdi>{thing.data.description}</bdi>
          </p>
        )}
      </div>
      <div className={styles.placeActions}>
        {place.type === 'asset' && <PageAnchor link={links.asset(place.id)}>{words.openAsset}</PageAnchor>}
        <PlaceActions {...props} thing={thing.data} edgeId={found?.edgeId ?? null} />
      </div>
    </section>
  )
}

function PlaceActions({
  place,
  thing,
  edgeId,
  onMove,
  onChanged,
  onGo,
  places,
}: Props & { thing: Thing; edgeId: string | null }) {
  const words = useWords('assets')
  const api = useApi()
  const [isRenaming, renaming] = useDisclosure()
  const [isDeleting, deleting] = useDisclosure()
  const asked = { resourceType: place.type, resourceId: thing.id } as const
  const toManage = { ...asked, permission: 'manage' } as const
  const toDelete = { ...asked, permission: 'delete' } as const
  const mayManage = useExplainedPermission(toManage).data?.result !== false
  const mayDelete = useExplainedPermission(toDelete).data?.result !== false
  const child: TreeChild = {
    id: thing.id,
    type: place.type === 'node' ? 'NODE' : 'ASSET',
    displayName: thing.displayName,
    description: thing.description,
    modelId: null,
    edgeId,
    hasChildren: true,
  }
  const remove = async () => {
    await api.delete('/v1/tree/nodes/{nodeId}', { path: { nodeId: thing.id }, signal: withTimeout() })
    const above = places.data?.[0]?.path.at(-1)
    onGo(above === undefined ? null : placeOf(above))
    onChanged()
  }
  return (
    <>
      <Button disabled={!mayManage} onClick={renaming.open}>
        {words.rename.action}
      </Button>
      <Button disabled={!mayManage} onClick={() => onMove(child)}>
        {words.move.action}
      </Button>
      {place.type === 'node' && (
        <>
          <Button color="red" variant="outline" disabled={!mayDelete} onClick={deleting.open}>
            {words.node.delete}
          </Button>
          <ConfirmByName
            isOpen={isDeleting}
            onClose={deleting.close}
            title={words.node.deleteTitle}
            name={thing.displayName}
            action={words.node.delete}
            onConfirm={remove}
          >
            <p>{words.node.deleteText}</p>
          </ConfirmByName>
        </>
      )}
      {mayManage ? (
        place.type === 'node' && <DisabledReason reason={words.node.mayNotDelete} asked={toDelete} />
      ) : (
        <DisabledReason reason={words.placeReadOnly} asked={toManage} />
      )}
      {isRenaming && (
        <PartBoundary>
          <Rename place={place} thing={thing} onClose={renaming.close} onRenamed={onChanged} />
        </PartBoundary>
      )}
    </>
  )
}
