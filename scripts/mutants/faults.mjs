// Finds every place of a source file where a small fault can be put: a condition that is turned round, a check that is
// left out, a part of a WHERE clause that is dropped.
import { createHash } from 'node:crypto'
import { parseSync } from 'oxc-parser'

const swapped = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '&&': '||',
  '||': '&&',
}

/** Calls that only affect what an operator reads. */
const isReporting = (text) => /^(?:await )?(?:[\w.]*\.)?(?:log|logger|metrics)\b/.test(text)

const isSql = (text) => /\b(?:select|insert|update|delete|where|from|values|conflict)\b/.test(text)

/** Faults in SQL text: [pattern, what stands there instead]. */
const sqlFaults = [
  [/ and /g, ' or '],
  [/ = /g, ' >= '],
  [/ < /g, ' <= '],
  [/ > /g, ' >= '],
  [/\bis null\b/g, 'is not null'],
  [/\bis not null\b/g, 'is null'],
  [/ desc\b/g, ' asc'],
  [/\bfor update\b/g, ''],
  [/\bnot exists\b/g, 'exists'],
]

/** What can be put instead of a node: [start, end, replacement]. */
const faultsOf = {
  BinaryExpression: (node, text) => swapOperator(node, text),
  LogicalExpression: (node, text) =>
    node.operator === '??'
      ? [[node.start, node.end, text.slice(node.left.start, node.left.end)]]
      : swapOperator(node, text),
  UnaryExpression: (node) => (node.operator === '!' ? [[node.start, node.argument.start, '']] : []),
  IfStatement: ({ test }, text) => {
    const shortcut = shortcutOf(test, text)
    return ['true', 'false']
      .filter((replacement) => replacement !== shortcut)
      .map((replacement) => [test.start, test.end, replacement])
  },
  ConditionalExpression: ({ test }) => [[test.start, test.end, 'false']],
  CallExpression: ({ callee, end }) =>
    callee.type === 'MemberExpression' && ['where', 'having', 'filter'].includes(callee.property.name)
      ? [[callee.object.end, end, '']]
      : [],
  ExpressionStatement: ({ start, end, expression }, text) => {
    const call = expression.type === 'AwaitExpression' ? expression.argument : expression
    const isLeftOut = call.type === 'CallExpression' && !isReporting(text.slice(start, end))
    return isLeftOut ? [[start, end, ';']] : []
  },
  Literal: ({ start, end, value }) => {
    if (typeof value === 'boolean') return [[start, end, String(!value)]]
    // A larger number does no harm here: `limit(1)`, `limit + 1`.
    return typeof value === 'number' ? [[start, end, String(value === 1 ? 0 : value + 1)]] : []
  },
  TemplateLiteral: ({ start, end }, text) => {
    const literal = text.slice(start, end)
    if (!isSql(literal)) return []
    return sqlFaults.flatMap(([pattern, replacement]) =>
      [...literal.matchAll(pattern)].map(({ index, 0: found }) => [
        start + index,
        start + index + found.length,
        replacement,
      ]),
    )
  },
}

/**
 * A check whether there is something to do saves a query; without it the answer is the same.
 *
 * @returns what stands for the check where it is left out, nothing for any other check
 */
function shortcutOf(test, text) {
  const [, operator] = /\.(?:length|size) (===|>) 0$/.exec(text.slice(test.start, test.end)) ?? []
  return operator && (operator === '>' ? 'true' : 'false')
}

function swapOperator({ left, right, operator }, text) {
  if (!swapped[operator]) return []
  const between = text.slice(left.end, right.start)
  const at = left.end + between.indexOf(operator)
  return [[at, at + operator.length, swapped[operator]]]
}

/** The statuses of a route's answers are keys; a test compares them with the committed `openapi.json`. */
const isLeftOut = (node, key, text) =>
  (node.type === 'Property' && key === 'key' && !node.computed) ||
  (node.type === 'IfStatement' && key === 'test' && shortcutOf(node.test, text) !== undefined)

function* walk(node, text) {
  if (Array.isArray(node)) for (const one of node) yield* walk(one, text)
  // Types are gone at run time, and an error's message is read by people.
  if (typeof node?.type !== 'string' || /^(?:TS|ImportDeclaration|ThrowStatement)/.test(node.type)) return
  yield node
  for (const [key, child] of Object.entries(node))
    if (child && typeof child === 'object' && !isLeftOut(node, key, text)) yield* walk(child, text)
}

const lineAt = (text, start) =>
  text
    .slice(text.lastIndexOf('\n', start - 1) + 1)
    .split('\n', 1)[0]
    .trim()

/**
 * @returns {{ file, start, line, before, after, order, text }[]} `before` and `after` are the line with and without the
 *   fault, `order` is a number that depends on the fault alone, so that a sample stays the same when other code changes,
 *   `text` is the whole file with the fault
 */
export function findFaults(file, text) {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`)
  const faults = [...walk(program.body, text)].flatMap((node) => faultsOf[node.type]?.(node, text) ?? [])
  return faults.map(([from, end, replacement]) => {
    // A call that stands on its own line begins there, not at the end of the line before.
    const start = from + /^(?:\s*\n\s*)?/.exec(text.slice(from))[0].length
    const broken = text.slice(0, start) + replacement + text.slice(end)
    const line = text.slice(0, start).split('\n').length
    const [before, after] = [lineAt(text, start), lineAt(broken, start)]
    const order = createHash('sha256').update(`${file}\n${before}\n${after}`).digest().readUInt32BE()
    return { file, start, line, before, after, order, text: broken }
  })
}
