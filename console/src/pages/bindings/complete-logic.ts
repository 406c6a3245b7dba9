import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete'

const operators =
  'var if and or ! !! == != === !== > >= < <= + - * / % min max cat substr in length merge map filter reduce all some none missing missing_some'.split(
    ' ',
  )

/** Completes the names of the sources within `var`, and operators at the start of a key. */
export const completeLogic =
  (names: readonly string[]) =>
  (context: CompletionContext): CompletionResult | null => {
    const variable = context.matchBefore(/"var"\s*:\s*\[?\s*"[\w.]*/)
    if (variable) return offer(names, variable.to - afterQuote(variable.text), context)
    const key = context.matchBefore(/\{\s*"[^"\s]*/)
    return key && offer(operators, key.to - afterQuote(key.text), context)
  }

const afterQuote = (text: string) => text.length - text.lastIndexOf('"') - 1

const offer = (labels: readonly string[], from: number, context: CompletionContext): CompletionResult => ({
  from,
  options: labels.map((label) => ({ label, type: labels === operators ? 'function' : 'variable' })),
  validFor: /^[^"\s]*$/,
  to: context.pos,
})
