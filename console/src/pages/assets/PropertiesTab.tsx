import { Button, Checkbox } from '@mantine/core'
import { useState } from 'react'
import { lazyPart } from '../../load-part.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { PartBoundary } from '../../parts/PartBoundary.tsx'
import { localText } from '../../parts/schema/schema.ts'
import { Empty, Failed, Loading, Notice } from '../../parts/State.tsx'
import { choice, useUrlState } from '../../url-state.ts'
import { useLanguage, useWords } from '../../words/words.tsx'
import type { DesiredTarget } from '../devices/DesiredEditor.tsx'
import { withTimeout } from '../devices/timeout.ts'
import {
  isDifferent,
  listTwinRows,
  type Properties,
  type TwinRow,
  withoutVersion,
} from '../devices/twin-changes.ts'
import { TwinTable } from '../devices/TwinTable.tsx'
import styles from './Assets.module.css'
import { type Asset, type Content, useContents } from './contents.ts'
import { desiredRoute, useProperties } from './use-properties.ts'

const DesiredEditor = lazyPart(async () => ({
  default: (await import('../devices/DesiredEditor.tsx')).DesiredEditor,
}))
const SetProperty = lazyPart(() => import('./SetProperty.tsx'))

const fields = { edit: choice(['off', 'on']), only: choice(['all', 'differences']) }

/** Desired properties of an asset and those that its devices report, side by side. */
export default function PropertiesTab({ asset }: { asset: Asset }) {
  const { properties: words } = useWords('assets')
  const { twin } = useWords('devices')
  const common = useWords('common')
  const format = useFormat()
  const [{ edit, only }, change] = useUrlState(fields)
  const [setting, setSetting] = useState<Content | null>(null)
  const { contents } = useContents(asset.modelId)
  const state = useProperties(asset.id)
  const target = useDesiredTarget(asset)
  if (state.isPending) return <Loading />
  if (state.data === undefined) return <Failed error={state.error} onRetry={() => void state.refetch()} />
  const { desired, reported } = state.data
  if (edit === 'on')
    return (
      <PartBoundary fallback={<Loading />}>
        <DesiredEditor
          target={target}
          desired={desired}
          onClose={() => {
            void state.refetch()
            void change({ edit: 'off' })
          }}
        />
      </PartBoundary>
    )
  const writable = contents.filter(({ kind, writable: canWrite }) => kind === 'property' && canWrite)
  const rows = listTwinRows(withoutVersion(desired), withoutVersion(reported))
  const wrong = rows.filter(isDifferent)
  const editButton = <Button onClick={() => void change({ edit: 'on' })}>{words.edit}</Button>
  return (
    <div className={styles.scroll}>
      {state.error !== null && <Notice kind="warning">{common.refreshFailed}</Notice>}
      {writable.length > 0 && <Writable contents={writable} desired={desired} onSet={setSetting} />}
      {rows.length === 0 ? (
        <Empty icon="assets" title={words.emptyTitle} text={words.emptyText} action={editButton} />
      ) : (
        <div>
          <div className={styles.bar}>
            <p>
              {rows.some((row) => row.desired !== undefined)
                ? words.differences(wrong.length)
                : words.nothingDesired}{' '}
              ({common.asOf(format.time(state.dataUpdatedAt))})
            </p>
            <Checkbox
              label={twin.onlyDifferences}
              checked={only === 'differences'}
              onChange={(event) => void change({ only: event.currentTarget.checked ? 'differences' : 'all' })}
            />
            <Button onClick={() => void state.refetch()} loading={state.isFetching}>
              {common.refresh}
            </Button>
            {editButton}
          </div>
          <TwinTable
            rows={only === 'differences' ? wrong : rows}
            versions={{ desired: Number(desired.$version), reported: Number(reported.$version) }}
            note={(row) => <ModelNote row={row} contents={contents} />}
          />
        </div>
      )}
      {setting !== null && (
        <PartBoundary>
          <SetProperty content={setting} target={target} desired={desired} onClose={() => setSetting(null)} />
        </PartBoundary>
      )}
    </div>
  )
}

/** Buttons for the properties that are writable by the model. */
function Writable(props: { contents: Content[]; desired: Properties; onSet: (content: Content) => void }) {
  const { properties: words } = useWords('assets')
  const language = useLanguage()
  return (
    <div className={styles.choices} role="group" aria-label={words.writable}>
      {props.contents.map((content) => {
        const name = localText(content.displayName, language) ?? content.name
        return (
          <Button key={`${content.componentId} ${content.name}`} onClick={() => props.onSet(content)}>
            <bdi>{words.set(content.componentId === null ? name : `${content.componentId} · ${name}`)}</bdi>
          </Button>
        )
      })}
    </div>
  )
}

/** Display name of a property in the model, or a note that the model does not have the property. */
function ModelNote({ row, contents }: { row: TwinRow; contents: Content[] }) {
  const { properties: words } = useWords('assets')
  const language = useLanguage()
  if (contents.length === 0) return null
  const [first, second] = row.path.split('.')
  const content = contents.find(
    ({ kind, componentId, name }) =>
      kind === 'property' &&
      (componentId === null ? name === first : componentId === first && name === second),
  )
  if (content === undefined) return <span className={styles.below}>{words.notInModel}</span>
  const name = localText(content.displayName, language)
  return name === undefined || name === content.name ? null : (
    <span className={styles.below}>
      <bdi>{name}</bdi>
    </span>
  )
}

function useDesiredTarget({ id }: Asset): DesiredTarget {
  const api = useApi()
  const path = { assetId: id }
  return {
    draft: `asset-properties-${id}`,
    queryKey: ['asset-properties', id],
    read: () => api.get(desiredRoute, { path, signal: withTimeout() }),
    save: (body) => api.put(desiredRoute, { path, body, signal: withTimeout() }),
  }
}
