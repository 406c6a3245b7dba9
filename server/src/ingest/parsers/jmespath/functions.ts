/** The functions of JMESPath, with the rules that rate the work of a call. */
export interface FunctionRule {
  /**
   * Position of an argument that is an expression. It must be written in the call: the library would also accept an
   * object of the payload that looks like one of its own expressions, and run it.
   */
  expression?: number
  /**
   * Position of an argument whose length multiplies the work. It must be written in the call, so that its length is
   * known.
   */
  literal?: number
  /** How many times the function may read its input, or how many times longer its output may be. */
  times?: number
}

/** Comparisons per element when sorting. */
const SORT = 20
/** Length of a control character when JSON escapes it. */
const ESCAPED = 6

export const functions = new Map<string, FunctionRule>([
  ...[
    'abs',
    'avg',
    'ceil',
    'floor',
    'keys',
    'length',
    'max',
    'merge',
    'min',
    'not_null',
    'reverse',
    'sum',
  ].map((name) => [name, {}] as const),
  ...['to_array', 'to_number', 'type', 'values'].map((name) => [name, {}] as const),
  ['contains', { literal: 1 }],
  ['ends_with', { literal: 1 }],
  ['starts_with', { literal: 1 }],
  ['join', { literal: 0 }],
  ['map', { expression: 0 }],
  ['max_by', { expression: 1 }],
  ['min_by', { expression: 1 }],
  ['sort', { times: SORT }],
  ['sort_by', { expression: 1, times: SORT }],
  ['to_string', { times: ESCAPED }],
])
