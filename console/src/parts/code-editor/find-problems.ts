import type { Diagnostic } from '@codemirror/lint'
import { findPlace, locateJson } from './locate.ts'

/** A problem of a value in the text. */
export interface EditorProblem {
  /** Path of the value, such as `contents.0.schema`; empty for the whole text. */
  path: string
  message: string
  severity?: 'error' | 'warning'
}

/** Finds the first syntax error, or the positions of the given problems if the text is valid JSON. */
export function findProblems(
  text: string,
  problems: readonly EditorProblem[],
  wrongJson: string,
): Diagnostic[] {
  if (text.trim() === '') return []
  const { root, wrongAt } = locateJson(text)
  if (wrongAt !== null) return [{ ...wrongAt, severity: 'error', message: wrongJson }]
  return problems.map(({ path, message, severity = 'error' }) => ({
    ...findPlace(root, path),
    severity,
    message,
  }))
}
