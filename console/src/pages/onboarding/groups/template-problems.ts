import type { EditorProblem } from '../../../parts/code-editor/find-problems.ts'
import { isVariable } from './template.ts'

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g

export interface ProblemWords {
  unknownVariable: (name: string) => string
  notClosed: string
  inKey: string
}

/** Finds the problems for which the server would refuse a template, by path. [docs/onboarding#response-templates] */
export function findTemplateProblems(value: unknown, words: ProblemWords, path = ''): EditorProblem[] {
  if (typeof value === 'string') return findTextProblems(value, words, path)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) => {
    const at = path === '' ? key : `${path}.${key}`
    const inKey = key.includes('{{') ? [{ path: at, message: words.inKey }] : []
    return [...inKey, ...findTemplateProblems(child, words, at)]
  })
}

function findTextProblems(text: string, words: ProblemWords, path: string): EditorProblem[] {
  const names = [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name.trim())
  const problems = names
    .filter((name) => !isVariable(name))
    .map((name) => ({ path, message: words.unknownVariable(name) }))
  if (text.replace(PLACEHOLDER, '').includes('{{')) problems.push({ path, message: words.notClosed })
  return problems
}
