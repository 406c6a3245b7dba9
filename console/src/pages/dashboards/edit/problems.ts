import { ApiError } from '@gangway/client'
import type { ListedProblem } from '../../../parts/draft/ProblemList.tsx'
import { type Data, isObject } from '../board/board.ts'

/** Problems that the server found in widgets, each with its widget. */
export function readProblems(error: unknown, data: Data): (ListedProblem & { widgetId?: string })[] {
  if (!(error instanceof ApiError)) return []
  return error.issues.map(({ path, message }) => {
    const index = /^data\.widgets\.(\d+)/.exec(path)?.[1]
    const widget =
      index !== undefined && Array.isArray(data.widgets) ? data.widgets[Number(index)] : undefined
    const { id, title } = isObject(widget) ? widget : {}
    return {
      key: `${path} ${message}`,
      path,
      message,
      ...(typeof id === 'string' && { widgetId: id, place: typeof title === 'string' ? title : id }),
    }
  })
}
