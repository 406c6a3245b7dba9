/** Conditions in JSONLogic as rows of clicks: comparisons of a signal, joined by "and" or "or", in nested groups. */
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
  rows: (ConditionRow | ConditionGroup)[]
}

/** Rows within rows. */
export interface ConditionGroup extends ConditionRows {
  /** Whether the group holds when its rows do not. */
  isNegated: boolean
}

/** Groups that are nested deeper stay a text: they would not fit a phone. */
export const MOST_NESTED = 4

export const isGroup = (part: ConditionRow | ConditionGroup): part is ConditionGroup => 'rows' in part

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

/** All comparisons, also those of nested groups. */
export const listRows = ({ rows }: ConditionRows): ConditionRow[] =>
  rows.flatMap((part) => (isGroup(part) ? listRows(part) : [part]))

export const isIncomplete = (rows: ConditionRows): boolean =>
  listRows(rows).some(
    ({ variable, right }) =>
      variable === '' ||
      (right.kind === 'value' ? right.value === null || right.value === '' : right.variable === ''),
  )

/** A single part needs no join. */
function readLogic(logic: unknown): ConditionRows | undefined {
  const joined = readJoin(logic, 0)
  if (joined !== undefined && joined.rows.length > 1) return joined
  const part = readPart(logic, 0)
  return part && { join: 'and', rows: [part] }
}

function readJoin(logic: unknown, depth: number): ConditionRows | undefined {
  const [operator, operand] = readOperation(logic)
  if ((operator !== 'and' && operator !== 'or') || !Array.isArray(operand) || operand.length === 0)
    return undefined
  const rows = operand.map((part) => readPart(part, depth))
  return rows.every((part) => part !== undefined) ? { join: operator, rows } : undefined
}

function readPart(logic: unknown, depth: number): ConditionRow | ConditionGroup | undefined {
  const row = readRow(logic)
  if (row !== undefined || depth === MOST_NESTED) return row
  const [operator, operand] = readOperation(logic)
  if (operator !== '!') {
    const group = readJoin(logic, depth + 1)
    return group && { ...group, isNegated: false }
  }
  if (!Array.isArray(operand) || operand.length !== 1) return undefined
  const negated = readRow(operand[0])
  const group =
    negated === undefined ? readJoin(operand[0], depth + 1) : { join: 'and' as const, rows: [negated] }
  return group && { ...group, isNegated: true }
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

const writeLogic = ({ join, rows }: ConditionRows): unknown =>
  rows.length === 1 ? writePart(rows[0]!) : { [join]: rows.map(writePart) }

function writePart(part: ConditionRow | ConditionGroup): unknown {
  if (!isGroup(part)) {
    const { variable, comparison, right } = part
    return {
      [comparison]: [{ var: variable }, right.kind === 'value' ? right.value : { var: right.variable }],
    }
  }
  // A group of one row keeps its join, since it would be no group otherwise.
  if (!part.isNegated) return { [part.join]: part.rows.map(writePart) }
  const [only] = part.rows
  const isOneRow = part.rows.length === 1 && !isGroup(only!)
  return { '!': [isOneRow ? writePart(only!) : { [part.join]: part.rows.map(writePart) }] }
}

/** A condition in one line, such as `temperature > 90 and not (running == true)`; undefined if rows cannot show it. */
export function describeCondition(
  text: string,
  words: Record<'and' | 'or' | 'not', string>,
): string | undefined {
  const read = readRows(text)
  return read && describeRows(read, words)
}

const describeRows = ({ join, rows }: ConditionRows, words: Record<'and' | 'or' | 'not', string>): string =>
  rows
    .map((part) => {
      if (isGroup(part)) return `${part.isNegated ? `${words.not} ` : ''}(${describeRows(part, words)})`
      const { variable, comparison, right } = part
      return [
        variable,
        comparison,
        right.kind === 'value' ? JSON.stringify(right.value) : right.variable,
      ].join(' ')
    })
    .join(` ${words[join]} `)
