import { parseSync } from 'oxc-parser'

/** @returns the file's syntax tree (ESTree with TypeScript's nodes), and its imports and exports as a list */
export function parseModule(file, text) {
  const { program, module, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`)
  return { file, text, program, module }
}

/** Calls `visit` with each node and its ancestors, the closest one last. */
export function visitNodes(node, visit, ancestors = []) {
  visit(node, ancestors)
  const inside = [...ancestors, node]
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child?.type === 'string') visitNodes(child, visit, inside)
}

export const isFunction = ({ type }) =>
  type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression'

/** The names that a pattern declares, such as those of a parameter. */
export function declaredNames(pattern) {
  switch (pattern?.type) {
    case 'Identifier':
      return [pattern.name]
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) => declaredNames(property.value ?? property.argument))
    case 'ArrayPattern':
      return pattern.elements.flatMap(declaredNames)
    case 'AssignmentPattern':
      return declaredNames(pattern.left)
    case 'RestElement':
      return declaredNames(pattern.argument)
    case 'TSParameterProperty':
      return declaredNames(pattern.parameter)
    default:
      return []
  }
}
