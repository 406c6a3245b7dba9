import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import type { EditorView } from '@codemirror/view'
import { type Variable, variables } from './template.ts'

/** Completes variables after `{{`, and anywhere on explicit request. */
export function completeVariable(
  context: CompletionContext,
  meanings: Record<Variable, string>,
): CompletionResult | null {
  const typed = context.matchBefore(/\{\{?\s*[\w.]*/)
  if (typed === null && !context.explicit) return null
  return {
    from: typed?.from ?? context.pos,
    options: variables.map((name) => ({ label: `{{${name}}}`, detail: meanings[name], apply: insert })),
  }
}

/** Replaces existing closing braces as well. */
function insert(view: EditorView, { label }: { label: string }, from: number, to: number) {
  const [closing] = /^\}*/.exec(view.state.sliceDoc(to, to + 2))!
  view.dispatch({
    changes: { from, to: to + closing.length, insert: label },
    selection: { anchor: from + label.length },
    userEvent: 'input.complete',
  })
}
