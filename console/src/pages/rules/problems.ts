import { ApiError, type Issue } from '@gangway/client'
import type { EditorProblem } from '../../parts/code-editor/find-problems.ts'

export interface RuleProblems {
  condition: EditorProblem[]
  clearCondition: EditorProblem[]
  /** Problems of the other fields, by the API's name of the field. */
  fields: Record<string, string>
  /** Problems that belong to no field. */
  other: string[]
}

const known = [
  'name',
  'description',
  'severity',
  'entityTypeId',
  'entityIds',
  'forSeconds',
  'noDataSeconds',
  'maxLatenessSeconds',
]

const noProblems: RuleProblems = { condition: [], clearCondition: [], fields: {}, other: [] }

/** Assigns the issues of a refused rule or backtest to the fields. */
export const readProblems = (error: unknown): RuleProblems =>
  error instanceof ApiError ? assignIssues(error.issues) : noProblems

function assignIssues(issues: readonly Pick<Issue, 'path' | 'message'>[]): RuleProblems {
  const found: RuleProblems = { condition: [], clearCondition: [], fields: {}, other: [] }
  for (const { path, message } of issues) {
    const [field = '', ...rest] = path.replace(/^(body\.)?(alarm\.)?/, '').split('.')
    if (field === 'condition' || field === 'clearCondition')
      found[field].push({ path: rest.join('.'), message })
    else if (known.includes(field)) found.fields[field] = message
    else found.other.push(`${path}: ${message}`)
  }
  return found
}

export const countProblems = ({ condition, clearCondition, fields }: RuleProblems) =>
  condition.length + clearCondition.length + Object.keys(fields).length
