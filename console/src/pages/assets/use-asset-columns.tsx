import { useMemo } from 'react'
import { useFormat } from '../../format.ts'
import { links } from '../../links.ts'
import { Icon } from '../../parts/Icon.tsx'
import { Id, Name } from '../../parts/Id.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Severity } from '../../parts/StateMark.tsx'
import type { Column } from '../../parts/table/types.ts'
import { useWords } from '../../words/words.tsx'
import styles from './Assets.module.css'
import { writeDragged } from './dragged.ts'
import { placeKey, placeOf, type TreeChild } from './place.ts'
import { useModels } from './use-models.ts'
import { type OpenAlarms, useOpenAlarms } from './use-open-alarms.ts'

export function useAssetColumns(): Column<TreeChild>[] {
  const words = useWords('assets')
  const models = useModels()
  const { byAsset: alarms } = useOpenAlarms()
  return useMemo(() => {
    const modelNames = new Map(models.map(({ id, displayName }) => [id, displayName]))
    return [
      {
        id: 'name',
        title: words.name,
        width: 'minmax(140px, 3fr)',
        render: (row) => <NameCell row={row} />,
      },
      {
        id: 'alarms',
        title: words.alarms.open,
        width: 'minmax(104px, 140px)',
        isOnPhone: true,
        render: ({ type, id }) => type === 'ASSET' && <AlarmCell assetId={id} alarms={alarms.get(id)} />,
      },
      {
        id: 'model',
        title: words.model,
        width: 'minmax(120px, 2fr)',
        render: ({ modelId }) =>
          modelId === null ? words.node.kind : <Name>{modelNames.get(modelId) ?? modelId}</Name>,
      },
      {
        id: 'id',
        title: words.id,
        width: 'minmax(120px, 2fr)',
        render: ({ type, id }) => type === 'ASSET' && <Id value={id} name={words.id} isCopied={false} />,
      },
      {
        id: 'description',
        title: words.description,
        width: 'minmax(120px, 2fr)',
        isOptional: true,
        render: ({ description }) => description !== null && <Name>{description}</Name>,
      },
    ]
  }, [words, models, alarms])
}

/** Name of an entry, which can be dragged into the tree. */
const NameCell = ({ row }: { row: TreeChild }) => (
  <span
    className={styles.nameCell}
    draggable
    onDragStart={(event) => writeDragged(event.dataTransfer, [row])}
  >
    <Icon name={row.type === 'NODE' ? 'node' : 'assets'} />
    <PageAnchor
      link={row.type === 'ASSET' ? links.asset(row.id) : links.assets({ at: placeKey(placeOf(row)) })}
      tabIndex={-1}
      className={styles.cut}
    >
      <Name>{row.displayName}</Name>
    </PageAnchor>
  </span>
)

function AlarmCell({ assetId, alarms }: { assetId: string; alarms: OpenAlarms | undefined }) {
  const words = useWords('assets')
  const format = useFormat()
  if (alarms === undefined) return null
  return (
    <PageAnchor
      link={links.asset(assetId, { tab: 'alarms' })}
      title={words.alarms.count(alarms.count)}
      className={styles.alarms}
      tabIndex={-1}
    >
      <Severity severity={alarms.severity} />
      {format.number(alarms.count)}
    </PageAnchor>
  )
}
