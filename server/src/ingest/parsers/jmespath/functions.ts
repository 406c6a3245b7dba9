/** The functions of JMESPath, and what has to be known of them to tell what a call may cost. */
export interface FunctionRule {
  /**
   * The place of an argument that is an expression. It must be written there: the library would also take an object of
   * the payload that looks like one of its own expressions, and run that.
   */
  expression?: number
  /** The place of an argument whose length multiplies the work. It must be written there to be known. */
  literal?: number
  /** How often it may look at what it is given, or how many times longer that gets. */
  times?: number
}

/** Comparisons of a sort, an element. */
const SORT = 20
/** A control character as JSON writes it, where it was one character. */
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
