import { ApiError } from '@gangway/client'
import { findLine, findPlace, locateJson, type Place } from '../../parts/code-editor/locate.ts'

/** A problem that the server found in a definition. */
export interface ModelProblem {
  /** Path in the definition; empty for the definition as a whole. */
  path: string
  message: string
  /** The text at that path when the problem was found. If it changes, the problem may be solved. */
  text: string
}

export interface PlacedProblem extends ModelProblem {
  place: Place
  /** Line and column from 1, such as `12:5`. */
  line: string
}

const IN_DEFINITION = /^(?:body\.)?definition(?:\.|$)/

/** @param sent the text of the refused definition */
export function readModelProblems(
  error: unknown,
  sent: string,
): { placed: ModelProblem[]; isComplete: boolean } {
  if (!(error instanceof ApiError)) return { placed: [], isComplete: false }
  const { root } = locateJson(sent)
  const placed = error.issues
    .filter(({ path }) => IN_DEFINITION.test(path))
    .map(({ path, message }) => {
      const inside = path.replace(IN_DEFINITION, '')
      return { path: inside, message, text: root ? textAt(sent, findPlace(root, inside)) : '' }
    })
  return { placed, isComplete: placed.length > 0 && placed.length === error.issues.length }
}

/** Finds the problems in the current text; problems whose text has changed are left out. */
export function placeProblems(text: string, problems: readonly ModelProblem[]): PlacedProblem[] {
  const { root } = locateJson(text)
  if (root === null) return []
  return problems.flatMap((problem) => {
    const place = findPlace(root, problem.path)
    if (textAt(text, place) !== problem.text) return []
    const { line, column } = findLine(text, place.from)
    return [{ ...problem, place, line: `${line}:${column}` }]
  })
}

const textAt = (text: string, { from, to }: Place) => text.slice(from, to)
