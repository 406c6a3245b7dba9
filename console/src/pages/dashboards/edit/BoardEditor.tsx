import { Button } from '@mantine/core'
import { useEffect, useMemo, useState } from 'react'
import { links } from '../../../links.ts'
import { CodeExamples } from '../../../parts/code/CodeExamples.tsx'
import { example } from '../../../parts/code/example.ts'
import { DraftBar } from '../../../parts/draft/DraftBar.tsx'
import { type ListedProblem, ProblemList } from '../../../parts/draft/ProblemList.tsx'
import { PageHead } from '../../../parts/layout/ListPage.tsx'
import { type Unfinished, withUnfinished } from '../../../parts/draft/unfinished.ts'
import { Refusal } from '../../../parts/Refusal.tsx'
import { Notice } from '../../../parts/State.tsx'
import { choice, text, useUrlState } from '../../../url-state.ts'
import { useWords } from '../../../words/words.tsx'
import { type Board, type Data, readBoard, writeBoard } from '../board/board.ts'
import { findUnbound } from '../board/variables.ts'
import { ForeignWidgets } from '../BoardNotices.tsx'
import pageStyles from '../Dashboards.module.css'
import { exportDashboard } from '../exported.ts'
import { useDashboard } from '../use-dashboard.ts'
import { WidgetBoundary } from '../grid/WidgetBoundary.tsx'
import { AddWidget } from './AddWidget.tsx'
import { ConflictPanel } from './ConflictPanel.tsx'
import { EditedBoard } from './EditedBoard.tsx'
import { JsonTab } from './JsonTab.tsx'
import { readProblems } from './problems.ts'
import type { DraftValues } from './choose-draft.ts'
import { useBoardDraft } from './use-board-draft.ts'
import { useMerge } from './use-merge.ts'
import { saveRoute, useSaveBoard, writeBody } from './use-save-board.ts'

const fields = { view: choice(['board', 'json']), widget: text(), tab: text() }
/** How often the saved dashboard is read, to notice that another user has saved it. */
const REFRESH_MS = 20_000

interface Props {
  dashboardId: string
  /** The version that is edited. */
  start: DraftValues
  /** Whether the server has the restored draft as it is. */
  isDraftOnServer: boolean
}

export function BoardEditor({ dashboardId, start, isDraftOnServer }: Props) {
  const words = useWords('dashboardEditor')
  const { data: dashboard, refetch } = useDashboard(dashboardId)
  const [state, change] = useUrlState(fields)
  const [bases, setBases] = useState<ReadonlyMap<number, Data>>(() => new Map([[start.version, start.data]]))
  const [version, setVersion] = useState(start.version)
  const initial = useMemo(() => ({ version, data: bases.get(version)! }), [version, bases])
  const { draft, failure: draftFailure, end } = useBoardDraft(dashboardId, initial, isDraftOnServer)
  const [unfinished, setUnfinished] = useState<Unfinished | null>(null)
  const theirs = dashboard!
  const save = useSaveBoard(dashboardId, { draft, end, refetch: () => void refetch() })
  const { conflicts, mergedVersion, resolve } = useMerge(draft, { bases, theirs, isPaused: save.isRunning })
  useEffect(() => {
    setBases((present) => new Map([...present, [theirs.version, theirs.data]]))
  }, [theirs])
  useEffect(() => {
    if (bases.has(draft.values.version)) setVersion(draft.values.version)
  }, [bases, draft.values.version])
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void refetch()
    }, REFRESH_MS)
    return () => clearInterval(timer)
  }, [refetch])
  const board = readBoard(draft.values.data)
  const setBoard = (next: Board) => draft.change({ data: writeBoard(draft.values.data, next) })
  const unbound = (board === null ? [] : findUnbound(board)).map(({ widget: { id, title }, name }) => ({
    key: `${id} ${name}`,
    path: title ?? id,
    message: words.noVariable(name),
    widgetId: id,
  }))
  const problems: ListedProblem[] = [...readProblems(save.failure, draft.values.data), ...unbound].map(
    (problem) => ({
      ...problem,
      ...(problem.widgetId && {
        onSelect: () =>
          void change({
            widget: problem.widgetId,
            tab: board?.widgets.find(({ id }) => id === problem.widgetId)?.tab ?? '',
            view: 'board',
          }),
      }),
    }),
  )
  return (
    <div className={pageStyles.page} inert={save.isDone}>
      <PageHead
        parent={{ title: theirs.displayName, link: links.dashboard(dashboardId) }}
        title={words.title(theirs.displayName)}
        actions={
          <>
            <Button onClick={() => exportDashboard(theirs, draft.values.data)}>{words.exportFile}</Button>
            <CodeExamples
              requests={[
                example('patch', saveRoute, { path: { dashboardId }, body: writeBody(draft.values) }),
              ]}
            />
            <Button
              aria-pressed={state.view === 'json'}
              onClick={() => void change({ view: state.view === 'json' ? 'board' : 'json' })}
            >
              {state.view === 'json' ? words.showBoard : words.showJson}
            </Button>
            {board !== null && state.view === 'board' && (
              <AddWidget
                board={board}
                tab={state.tab}
                onChange={setBoard}
                onAdded={(widget) => void change({ widget })}
              />
            )}
          </>
        }
      />
      <div className={pageStyles.notices}>
        <DraftBar
          draft={withUnfinished(draft, unfinished, () => setUnfinished(null))}
          saveLabel={words.save}
          isSaving={save.isRunning}
          blocked={whyBlocked({ isUnfinished: unfinished !== null, conflicts, board }, words)}
          isKept={unfinished === null}
          problems={problems.length}
          onSave={() => void save.run()}
        />
        {draftFailure !== null && <Notice kind="warning">{words.draftNotKept}</Notice>}
        {save.keptVersion === draft.values.version && draft.isChanged && (
          <Notice kind="info">{words.savedBefore(save.keptVersion)}</Notice>
        )}
        {mergedVersion !== null && <Notice kind="info">{words.merged(mergedVersion)}</Notice>}
        {board !== null && <ForeignWidgets board={board} />}
        <ProblemList problems={problems} />
        {save.failure !== null && problems.length === unbound.length && <Refusal error={save.failure} />}
        {conflicts.length > 0 && (
          <ConflictPanel
            key={theirs.version}
            version={theirs.version}
            conflicts={conflicts}
            onResolve={resolve}
          />
        )}
      </div>
      {state.view === 'json' || board === null ? (
        <JsonTab
          data={draft.values.data}
          onChange={(data) => draft.change({ data })}
          unfinished={unfinished?.text ?? null}
          onUnfinished={(written) =>
            setUnfinished((present) =>
              written === null ? null : { text: written, sinceMs: present?.sinceMs ?? Date.now() },
            )
          }
        />
      ) : (
        <WidgetBoundary options={draft.values.data} text={words.boardFailed}>
          <EditedBoard
            board={board}
            onChange={setBoard}
            selectedId={state.widget}
            onSelect={(widget) => void change({ widget })}
            tab={state.tab}
            onTab={(tab) => void change({ tab, widget: '' })}
            onUndo={draft.undo}
            onRedo={draft.redo}
          />
        </WidgetBoundary>
      )}
    </div>
  )
}

interface Blocking {
  isUnfinished: boolean
  conflicts: readonly unknown[]
  board: Board | null
}

/** Why the draft cannot be saved, as a sentence; undefined if it can. */
function whyBlocked(
  { isUnfinished, conflicts, board }: Blocking,
  words: { jsonUnfinished: string; conflictFirst: string; notABoard: string },
): string | undefined {
  if (isUnfinished) return words.jsonUnfinished
  if (conflicts.length > 0) return words.conflictFirst
  return board === null ? words.notABoard : undefined
}
