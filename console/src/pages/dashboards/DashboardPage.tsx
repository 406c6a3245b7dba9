import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useParams, useRouter } from '@tanstack/react-router'
import { useMemo } from 'react'
import { links } from '../../links.ts'
import { CodeBlock } from '../../parts/code/CodeBlock.tsx'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { example } from '../../parts/code/example.ts'
import { PageHead } from '../../parts/layout/ListPage.tsx'
import { Outdated } from '../../parts/Outdated.tsx'
import { Empty, Failed, Loading, Notice } from '../../parts/State.tsx'
import { timeRange } from '../../parts/time/time-range.ts'
import { TimeRangePicker } from '../../parts/time/TimeRangePicker.tsx'
import { WhyButton } from '../../parts/why/WhyButton.tsx'
import { WhyPanel } from '../../parts/why/WhyPanel.tsx'
import { text, useUrlState } from '../../url-state.ts'
import { useLoadedWords, useWords } from '../../words/words.tsx'
import { type Board, readBoard } from './board/board.ts'
import BoardView from './BoardView.tsx'
import { BoardNotices } from './BoardNotices.tsx'
import styles from './Dashboards.module.css'
import { FullScreen } from './FullScreen.tsx'
import { MoreActions } from './MoreActions.tsx'
import { type Dashboard, manageDashboard, useDashboard, useMayManage } from './use-dashboard.ts'
import { chosenVariables, useBindings } from './variables/use-bindings.ts'
import { VariableBar } from './variables/VariableBar.tsx'

const fields = { range: timeRange('1h'), variables: chosenVariables(), tab: text() }

export default function DashboardPage() {
  const { dashboardId } = useParams({ strict: false }) as { dashboardId: string }
  const dashboard = useDashboard(dashboardId)
  useLoadedWords('dashboards', 'charts')
  if (dashboard.isPending) return <Loading />
  if (dashboard.data === undefined)
    return <Failed isPage error={dashboard.error} onRetry={() => void dashboard.refetch()} />
  return (
    <div className={styles.page} data-board-page>
      {dashboard.error !== null && (
        <Outdated error={dashboard.error} onRetry={() => void dashboard.refetch()} />
      )}
      <View key={dashboardId} dashboard={dashboard.data} />
    </div>
  )
}

function View({ dashboard }: { dashboard: Dashboard }) {
  const words = useWords('dashboards')
  const [state, change] = useUrlState(fields)
  const board = useMemo(() => readBoard(dashboard.data), [dashboard.data])
  return (
    <>
      <PageHead
        parent={{ title: words.title, link: links.dashboards() }}
        title={dashboard.displayName}
        text={dashboard.description ?? undefined}
        actions={
          <>
            <TimeRangePicker value={state.range} onChange={(range) => void change({ range })} />
            <FullScreen />
            <CodeExamples
              requests={[
                example('get', '/v1/dashboards/{dashboardId}', { path: { dashboardId: dashboard.id } }),
              ]}
            />
            <MoreActions dashboard={dashboard} />
            <EditButton dashboard={dashboard} isForeign={board === null} />
          </>
        }
      />
      {board === null ? (
        <Foreign dashboard={dashboard} />
      ) : (
        <Widgets {...{ board, state, change, dashboard }} />
      )}
    </>
  )
}

interface WidgetsProps {
  board: Board
  dashboard: Dashboard
  state: ReturnType<typeof useUrlState<typeof fields>>[0]
  change: ReturnType<typeof useUrlState<typeof fields>>[1]
}

function Widgets({ board, dashboard, state, change }: WidgetsProps) {
  const words = useWords('dashboards')
  const bindings = useBindings(board.variables, state.variables)
  if (board.widgets.length === 0 && board.foreign.length === 0)
    return (
      <Empty
        icon="dashboards"
        title={words.noWidgetsTitle}
        text={words.noWidgetsText}
        action={<EditButton dashboard={dashboard} isForeign={false} />}
      />
    )
  return (
    <BoardView
      board={board}
      tab={state.tab}
      onTab={(tab) => void change({ tab })}
      timeRange={state.range}
      onTimeRange={(range) => void change({ range }, { push: true })}
      bindings={bindings.byName}
    >
      <VariableBar
        variables={board.variables}
        chosen={state.variables}
        onChange={(variables) => void change({ variables })}
        problem={bindings.error}
      />
      <BoardNotices board={board} cut={bindings.cut} />
    </BoardView>
  )
}

/** Data of another client is shown, and stays as it is. */
function Foreign({ dashboard }: { dashboard: Dashboard }) {
  const words = useWords('dashboards')
  return (
    <div className={styles.notices}>
      <Notice kind="info">{words.foreignText}</Notice>
      <CodeBlock code={JSON.stringify(dashboard.data, null, 2)} name={words.data} />
    </div>
  )
}

function EditButton({ dashboard, isForeign }: { dashboard: Dashboard; isForeign: boolean }) {
  const words = useWords('dashboards')
  const router = useRouter()
  const [isWhy, why] = useDisclosure()
  const isForbidden = useMayManage(dashboard.id) === false
  const reason = isForeign ? words.foreignText : words.mayNotManage
  return (
    <>
      <Button
        variant="filled"
        disabled={isForbidden || isForeign}
        title={isForbidden || isForeign ? reason : undefined}
        onClick={() => void router.navigate(links.editDashboard(dashboard.id) as never)}
      >
        {words.edit}
      </Button>
      {(isForbidden || isForeign) && <WhyButton onClick={why.open} />}
      <WhyPanel
        isOpen={isWhy}
        onClose={why.close}
        reason={reason}
        permission={isForeign ? undefined : manageDashboard(dashboard.id)}
      />
    </>
  )
}
