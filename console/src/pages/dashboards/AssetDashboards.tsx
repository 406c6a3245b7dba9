import { Button, Select } from '@mantine/core'
import { useMemo } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Empty, Failed, Loading } from '../../parts/State.tsx'
import { usePagedList } from '../../parts/table/use-paged-list.ts'
import { timeRange } from '../../parts/time/time-range.ts'
import { TimeRangePicker } from '../../parts/time/TimeRangePicker.tsx'
import { text, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import type { Asset } from '../assets/contents.ts'
import { withTimeout } from '../devices/timeout.ts'
import { type Board, readBoard } from './board/board.ts'
import { bindTemplate } from './board/variables.ts'
import { BoardNotices } from './BoardNotices.tsx'
import BoardView from './BoardView.tsx'
import styles from './Dashboards.module.css'
import { type Dashboard, useDashboard } from './use-dashboard.ts'
import { chosenVariables, useBindings } from './variables/use-bindings.ts'

const fields = { dashboard: text(), range: timeRange('1h'), boardTab: text() }
const PAGE = 50

/** Dashboards that are templates for the model of an asset, with the values of this asset. */
export default function AssetDashboards({ asset }: { asset: Asset }) {
  const words = useWords('dashboards')
  const api = useApi()
  const [state, change] = useUrlState(fields)
  const common = useWords('common')
  // A page ends early where dashboards are large.
  const source = usePagedList<Dashboard>(['dashboards', 'of-model', asset.modelId], (cursor, signal) =>
    api.page('/v1/dashboards', {
      query: { modelId: asset.modelId, limit: PAGE, cursor },
      signal: withTimeout(signal),
    }),
  )
  const listed = source.rows.find(({ id }) => id === state.dashboard)
  const isLinked = state.dashboard !== '' && !source.isLoading && listed === undefined
  const linked = useDashboard(isLinked ? state.dashboard : undefined)
  if (source.isLoading || (isLinked && linked.isPending)) return <Loading />
  if (source.error !== null && source.rows.length === 0)
    return <Failed error={source.error} onRetry={source.refresh} />
  const chosen = listed ?? (isLinked ? linked.data : undefined) ?? source.rows[0]
  const offered =
    chosen === undefined || source.rows.includes(chosen) ? source.rows : [...source.rows, chosen]
  if (chosen === undefined)
    return (
      <Empty
        icon="dashboards"
        title={words.noTemplateTitle}
        text={words.noTemplateText}
        action={<PageAnchor link={links.dashboards()}>{words.title}</PageAnchor>}
      />
    )
  return (
    <>
      <div className={styles.bar}>
        <Select
          aria-label={words.templates}
          data={offered.map(({ id, displayName }) => ({ value: id, label: displayName }))}
          value={chosen.id}
          onChange={(id) => id !== null && void change({ dashboard: id, boardTab: '' })}
        />
        <TimeRangePicker value={state.range} onChange={(range) => void change({ range })} />
        <OpenAlone dashboard={chosen} asset={asset} />
        {source.hasMore && (
          <Button loading={source.isLoadingMore} onClick={source.loadMore}>
            {common.loadMore}
          </Button>
        )}
      </div>
      <Template key={chosen.id} dashboard={chosen} asset={asset} state={state} change={change} />
    </>
  )
}

interface TemplateProps {
  dashboard: Dashboard
  asset: Asset
}

function OpenAlone({ dashboard, asset }: TemplateProps) {
  const words = useWords('dashboards')
  const variables = chosenVariables().format(bindTemplate(readBoard(dashboard.data)?.variables ?? [], asset))
  return (
    <PageAnchor link={links.dashboard(dashboard.id, variables === undefined ? {} : { variables })}>
      {words.openAlone}
    </PageAnchor>
  )
}

interface StateProps extends TemplateProps {
  state: ReturnType<typeof useUrlState<typeof fields>>[0]
  change: ReturnType<typeof useUrlState<typeof fields>>[1]
}

function Template({ dashboard, asset, state, change }: StateProps) {
  const board = useMemo<Board | null>(() => readBoard(dashboard.data), [dashboard.data])
  const { byName, cut } = useBindings(board?.variables ?? [], bindTemplate(board?.variables ?? [], asset))
  if (board === null) return null
  return (
    <BoardView
      board={board}
      tab={state.boardTab}
      onTab={(boardTab) => void change({ boardTab })}
      timeRange={state.range}
      onTimeRange={(range) => void change({ range }, { push: true })}
      bindings={byName}
    >
      <BoardNotices board={board} cut={cut} />
    </BoardView>
  )
}
