import { ApiError } from '@gangway/client'
import type { ListedProblem } from '../../../parts/draft/ProblemList.tsx'
import type { Board } from '../board/board.ts'

/** Problems that the server found in widgets, each with its widget. */
export function readProblems(error: unknown, board: Board | null): (ListedProblem & { widgetId?: string })[] {
  if (!(error instanceof ApiError)) return []
  return error.issues.map(({ path, message }) => {
    const index = /^data\.widgets\.(\d+)/.exec(path)?.[1]
    const widget = index === undefined ? undefined : board?.widgets[Number(index)]
    return {
      key: `${path} ${message}`,
      path,
      message,
      ...(widget && { widgetId: widget.id, place: widget.title ?? widget.id }),
    }
  })
}
