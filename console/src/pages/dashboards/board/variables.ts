/** Where the widgets of a board use its variables. */
import type { Board, Variable, Widget } from './board.ts'
import { readMarkers } from './markers.ts'
import { readReferences } from './signals.ts'

/** Names of the variables that a widget takes its assets from. */
const listUsed = (widget: Widget): string[] => [
  ...new Set(
    [widget.options, ...readReferences(widget), ...readMarkers(widget.options)]
      .map((reference: { variable?: unknown } | null) => reference?.variable)
      .filter((name) => typeof name === 'string'),
  ),
]

/** Changes the variable at a place; widgets follow its name. */
export function changeVariable(board: Board, index: number, changed: Board['variables'][number]): Board {
  const { name } = board.variables[index]!
  const variables = board.variables.with(index, changed)
  if (changed.name === name) return { ...board, variables }
  const widgets = board.widgets.map((widget) =>
    listUsed(widget).includes(name) ? renameIn(widget, name, changed.name) : widget,
  )
  return { ...board, variables, widgets }
}

function renameIn(widget: Widget, before: string, after: string): Widget {
  const rename = <Reference>(reference: Reference): Reference =>
    (reference as { variable?: unknown } | null)?.variable === before
      ? { ...reference, variable: after }
      : reference
  const { options } = widget
  const lists = ['signals', 'markers'].flatMap((list) => {
    const entries = options[list]
    return Array.isArray(entries) ? [[list, entries.map(rename)] as const] : []
  })
  return { ...widget, options: { ...rename(options), ...Object.fromEntries(lists) } }
}

export const countUses = ({ widgets }: Board, name: string): number =>
  widgets.filter((widget) => listUsed(widget).includes(name)).length

/** Widgets whose variable the board has no more. */
export const findUnbound = ({ widgets, variables }: Board): { widget: Widget; name: string }[] =>
  widgets.flatMap((widget) =>
    listUsed(widget)
      .filter((name) => variables.every((variable) => variable.name !== name))
      .map((name) => ({ widget, name })),
  )

/** Chooses an asset for the variables of its model. */
export const bindTemplate = (
  variables: Variable[],
  asset: { id: string; modelId: string },
): Record<string, string[]> =>
  Object.fromEntries(
    variables
      .filter(({ kind, modelId }) => kind === 'asset' && modelId === asset.modelId)
      .map(({ name }) => [name, [asset.id]]),
  )
