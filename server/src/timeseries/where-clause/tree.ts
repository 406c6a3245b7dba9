/** The tree of a parsed `whereClause`. [docs/telemetry#where-clause] */

/** The type of each column; `value` may be of any type that a device sends. */
export const columnTypes = {
  time: 'timestamp',
  assetid: 'text',
  componentid: 'text',
  timeseries_name: 'text',
  timeseries_type: 'text',
  modelid: 'text',
  messageid: 'text',
  value: 'any',
} as const

export type Column = keyof typeof columnTypes
export type TextColumn = Exclude<Column, 'time' | 'value'>
export type Operator = '=' | '<>' | '<' | '<=' | '>' | '>='

export type Literal =
  | { type: 'number'; value: number }
  | { type: 'string'; value: string }
  | { type: 'boolean'; value: boolean }
  /** Milliseconds since 1970. */
  | { type: 'timestamp'; value: number }

export type Where =
  | { kind: 'and' | 'or'; terms: Where[] }
  | { kind: 'not'; term: Where }
  | { kind: 'compare'; column: Column; operator: Operator; literal: Literal }
  | { kind: 'in'; column: Column; literals: Literal[] }
  | { kind: 'between'; column: Column; low: Literal; high: Literal }
  | { kind: 'like'; column: Column; pattern: string }
  | { kind: 'isNull'; column: Column }
