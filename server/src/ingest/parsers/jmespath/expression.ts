/**
 * Estimates the work of an expression before it runs. JMESPath has no loops, but it repeats: each `[@, @]` doubles its
 * input, and thirty of them in a row exhaust the memory. The library cannot be interrupted, so each part of an
 * expression is rated by how much it may read and how much it may return, as multiples of the size of its input.
 */
import jmespath from 'jmespath'
import { printable } from '../../json-object.ts'
import { functions } from './functions.ts'

interface Node {
  type: string
  name?: string
  value?: unknown
  children?: Node[]
}

/** Multiples of the size of the input. */
interface Rating {
  work: number
  output: number
}

/** The message explains what is wrong with the expression. */
export class ExpressionError extends Error {}

const { compile } = jmespath as unknown as { compile(expression: string): Node }

/** @throws ExpressionError for an expression that cannot be parsed, or whose work cannot be estimated */
export function rateExpression(expression: string): number {
  try {
    return rate(compile(expression)).work
  } catch (error) {
    if (error instanceof ExpressionError) throw error
    if (error instanceof RangeError) throw new ExpressionError('nests too deep')
    throw new ExpressionError(`is no JMESPath expression: ${printable((error as Error).message)}`)
  }
}

function rate(node: Node): Rating {
  const [first, second, third] = node.children ?? []
  switch (node.type) {
    case 'Literal':
      return { work: 1, output: JSON.stringify(node.value).length }
    case 'Subexpression':
    case 'IndexExpression':
    case 'Pipe':
    case 'Projection':
    case 'ValueProjection':
      return inTurn(rate(first!), rate(second!))
    case 'FilterProjection':
      return filter(rate(first!), rate(second!), rate(third!))
    case 'Comparator':
      return { ...together(node.children!.map(rate)), output: 1 }
    case 'Flatten':
    case 'NotExpression':
    case 'AndExpression':
    case 'OrExpression':
    case 'MultiSelectList':
      return together(node.children!.map(rate))
    case 'MultiSelectHash':
      return together(node.children!.map(({ name, value }) => withKey(name!, rate(value as Node))))
    case 'Function':
      return rateFunction(node)
    case 'Field':
    case 'Index':
    case 'Slice':
    case 'Identity':
    case 'Current':
      return { work: 1, output: 1 }
    default:
      throw new ExpressionError('uses & where no function takes an expression')
  }
}

/** The second part works on the output of the first, either as a whole or piece by piece. */
const inTurn = (first: Rating, second: Rating): Rating => ({
  work: first.work + first.output * second.work,
  output: first.output * second.output,
})

const filter = (list: Rating, each: Rating, condition: Rating): Rating => ({
  work: list.work + list.output * (condition.work + each.work),
  output: list.output * each.output,
})

/**
 * All parts work on the same input, and their outputs are combined. The output is at least 1, even without parts: a
 * function call without arguments fails only when it runs, which it does not for an empty list.
 */
function together(parts: Rating[]): Rating {
  const output = Math.max(
    1,
    parts.reduce((sum, part) => sum + part.output, 0),
  )
  return { work: parts.reduce((sum, part) => sum + part.work, 0) + output, output }
}

const withKey = (key: string, value: Rating): Rating => ({ ...value, output: value.output + key.length })

function rateFunction({ name = '', children = [] }: Node): Rating {
  const rule = functions.get(name)
  if (!rule) throw new ExpressionError(`calls ${name}(), which JMESPath does not have`)
  const literal = rule.literal === undefined ? undefined : children[rule.literal]
  if (literal && literal.type !== 'Literal')
    throw new ExpressionError(`needs a literal as argument ${rule.literal! + 1} of ${name}()`)
  const expression = rule.expression === undefined ? undefined : children[rule.expression]
  if (rule.expression !== undefined && expression?.type !== 'ExpressionReference')
    throw new ExpressionError(
      `needs an expression, such as &name, as argument ${rule.expression + 1} of ${name}()`,
    )
  const given = together(children.filter((child) => child !== expression).map(rate))
  const each = expression ? rate(expression.children![0]!) : { work: 1, output: 1 }
  const times = (rule.times ?? 1) * (literal ? rate(literal).output : 1)
  const output = given.output * each.output * times
  return { work: given.work + given.output * each.work * times + output, output }
}
