import { Button } from '@mantine/core'
import { useRequestLimit } from '../../api/request-limit.ts'
import { useFormat } from '../../format.ts'
import { useLiveState } from '../../live/LiveProvider.tsx'
import { Outdated } from '../../parts/Outdated.tsx'
import { Notice } from '../../parts/State.tsx'
import { useWords } from '../../words/words.tsx'
import type { Board } from './board/board.ts'
import { readReferences } from './board/signals.ts'
import styles from './Dashboards.module.css'
import { useBoardValues } from './values/board-context.ts'
import { type Cut, MOST_ASSETS } from './variables/use-bindings.ts'
import { isSlowed } from './values/reading-plan.ts'
import { findKind } from './widgets/kinds.ts'

const MOST_NAMED = 20

/** Notices above a board: values that are missing, outdated, cut or read seldom, and widgets that are not drawn. */
export function BoardNotices({ board, cut }: { board: Board; cut: Cut[] }) {
  const words = useWords('dashboards')
  const common = useWords('common')
  const format = useFormat()
  const live = useLiveState()
  const { error, missing, retry, histories, reloadMs } = useBoardValues()
  const limit = useRequestLimit()
  const outdated = [...histories.values()].filter((one) => one.error !== null && one.readAtMs > 0)
  const unknown = board.widgets.filter(({ kind }) => findKind(kind) === undefined)
  const hasDesired = board.widgets.some((widget) =>
    readReferences(widget).some(({ type }) => type === 'propertyDesired'),
  )
  return (
    <div className={styles.notices}>
      {live.kind === 'reconnecting' && (
        <Notice kind="warning">{words.stale(format.time(live.sinceMs))}</Notice>
      )}
      {error !== null && <Outdated error={error} text={words.notLive} onRetry={retry} />}
      {outdated.length > 0 && (
        <Outdated
          error={outdated[0]!.error}
          text={words.notReadAgain(format.time(Math.min(...outdated.map(({ readAtMs }) => readAtMs))))}
          onRetry={() => {
            for (const { reload } of outdated) reload()
          }}
        />
      )}
      {isSlowed(reloadMs) && (
        <Notice kind="info">{words.slowed(format.duration(reloadMs), format.number(limit))}</Notice>
      )}
      {missing.length > 0 && (
        <Notice kind="warning">
          {words.missingAssets} <bdi>{writeNames(missing)}</bdi>{' '}
          <Button onClick={retry}>{common.retry}</Button>
        </Notice>
      )}
      {[...histories.values()].some(({ isCut }) => isCut) && <Notice kind="warning">{words.cut}</Notice>}
      {cut.map(({ name, count, isDeep }) => (
        <Notice key={name} kind="warning">
          <bdi>{name}</bdi>: {count > MOST_ASSETS && words.cutVariable(MOST_ASSETS, count)}{' '}
          {isDeep && words.deepVariable}
        </Notice>
      ))}
      {hasDesired && <Notice kind="info">{words.noDesired}</Notice>}
      {unknown.length > 0 && (
        <Notice kind="info">
          {words.unknownWidgets(unknown.length)}{' '}
          <bdi>{writeNames(unknown.map(({ title, kind }) => (title ? `${title} (${kind})` : kind)))}</bdi>
        </Notice>
      )}
      <ForeignWidgets board={board} />
    </div>
  )
}

const writeNames = (names: string[]) =>
  `${names.slice(0, MOST_NAMED).join(', ')}${names.length > MOST_NAMED ? ', …' : ''}`

/** Names what is on a board and is no widget. */
export function ForeignWidgets({ board: { foreign } }: { board: Board }) {
  const words = useWords('dashboards')
  if (foreign.length === 0) return null
  const names = foreign.map(({ name, field }) => `${name} (${field === '' ? words.noObject : field})`)
  return (
    <Notice kind="warning">
      {words.foreignWidgets(foreign.length)} <bdi>{writeNames(names)}</bdi>
    </Notice>
  )
}
