/** Conditions in JSONLogic as rows of clicks: comparisons of a signal, joined by "and" or "or". */
import { writeJson } from '../../parts/code-editor/write-json.ts'
import { parseLogic } from './signals.ts'

export const comparisons = ['>', '>=', '<', '<=', '==', '!=', '===', '!=='] as const
export type Comparison = (typeof comparisons)[number]

/** A value of a row; null while it is not filled in. */
export type Literal = number | string | boolean | null

export interface ConditionRow {
  variable: string
  comparison: Comparison
  /** A value, or another signal. */
  right: { kind: 'value'; value: Literal } | { kind: 'signal'; variable: string }
}

export interface ConditionRows {
  join: 'and' | 'or'
  rows: ConditionRow[]
}

export const noRows: ConditionRows = { join: 'and', rows: [] }

/** @returns undefined if rows cannot show the whole condition; then it stays a text */
export function readRows(text: string): ConditionRows | undefined {
  if (text.trim() === '') return noRows
  const logic = parseLogic(text)
  const found = readLogic(logic)
  return found !== undefined && JSON.stringify(writeLogic(found)) === JSON.stringify(logic)
    ? found
    : undefined
}

export const writeRows = (rows: ConditionRows): string =>
  rows.rows.length === 0 ? '' : writeJson(writeLogic(rows))

export const isIncomplete = ({ rows }: ConditionRows): boolean =>
  rows.some(
    ({ variable, right }) =>
      variable === '' ||
      (right.kind === 'value' ? right.value === null || right.value === '' : right.variable === ''),
  )

function readLogic(logic: unknown): ConditionRows | undefined {
  const [operator, operand] = readOperation(logic)
  if ((operator === 'and' || operator === 'or') && Array.isArray(operand) && operand.length > 1) {
    const rows = operand.map(readRow)
    return rows.every((row) => row !== undefined) ? { join: operator, rows } : undefined
  }
  const row = readRow(logic)
  return row && { join: 'and', rows: [row] }
}

function readRow(logic: unknown): ConditionRow | undefined {
  const [operator, operand] = readOperation(logic)
  const comparison = comparisons.find((one) => one === operator)
  if (comparison === undefined || !Array.isArray(operand) || operand.length !== 2) return undefined
  const [left, right] = operand as [unknown, unknown]
  const variable = readVariable(left)
  if (variable === undefined) return undefined
  const other = readVariable(right)
  if (other !== undefined) return { variable, comparison, right: { kind: 'signal', variable: other } }
  if (typeof right === 'object' && right !== null) return undefined
  return { variable, comparison, right: { kind: 'value', value: right as Literal } }
}

function readOperation(logic: unknown): [string | undefined, unknown] {
  if (typeof logic !== 'object' || logic === null || Array.isArray(logic)) return [undefined, undefined]
  const entries = Object.entries(logic)
  return entries.length === 1 ? entries[0]! : [undefined, undefined]
}

function readVariable(logic: unknown): string | undefined {
  const [operator, operand] = readOperation(logic)
  return operator === 'var' && typeof operand === 'string' ? operand : undefined
}

function writeLogic({ join, rows }: ConditionRows): unknown {
  const written = rows.map(({ variable, comparison, right }) => ({
    [comparison]: [{ var: variable }, right.kind === 'value' ? right.value : { var: right.variable }],
  }))
  return written.length === 1 ? written[0] : { [join]: written }
}

/** A condition in one line, such as `temperature > 90 and running == true`; undefined if rows cannot show it. */
export function describeCondition(text: string, joins: Record<'and' | 'or', string>): string | undefined {
  const read = readRows(text)
  if (read === undefined) return undefined
  const shown = read.rows.map(({ variable, comparison, right }) =>
    [variable, comparison, right.kind === 'value' ? JSON.stringify(right.value) : right.variable].join(' '),
  )
  return shown.join(` ${joins[read.join]} `)
}
