import { dirname, join, normalize } from 'node:path'
import { declaredNames, isFunction, visitNodes } from './parse.mjs'

/**
 * Modules keep no state: test files share them, and so do several platforms of one process.
 *
 * A `WeakMap` or `WeakSet` is no state in this sense: an entry goes with the object that is its key.
 */
const FORGETFUL = ['WeakMap', 'WeakSet']
/** Functions whose results keep state between calls. */
const MEMORIES = [
  'coalesce',
  'createFailureLimit',
  'createGroupCommit',
  'createBoundedCache',
  'setInterval',
  'setTimeout',
]
const MUTATORS = new Set(
  'set add delete clear push pop shift unshift splice sort reverse fill copyWithin'.split(' '),
)
const OBJECT_MUTATORS = new Set('assign defineProperty defineProperties setPrototypeOf'.split(' '))

/**
 * @param modules as `parseModule` returns them, without tests
 * @returns problems, as sentences
 */
export function findModuleState(modules) {
  const constants = new Map(modules.map((module) => [module.file, findConstants(module)]))
  const changes = modules.flatMap((module) => findChanges(module, constants))
  return modules.flatMap((module) => [
    ...findVariables(module),
    ...findMemories(module),
    ...[...constants.get(module.file)].flatMap((name) => {
      const change = changes.find((one) => one.owner === module.file && one.name === name)
      return change
        ? `${change.file} changes ${name}, which belongs to the module ${module.file}: no module keeps state`
        : []
    }),
  ])
}

const statements = ({ program }) =>
  program.body.map((node) => (node.type === 'ExportNamedDeclaration' ? (node.declaration ?? node) : node))

const findVariables = (module) =>
  statements(module)
    .filter((node) => node.type === 'VariableDeclaration' && node.kind !== 'const' && !node.declare)
    .flatMap(({ declarations }) => declarations.map(({ id }) => declaredNames(id).join(', ')))
    .map((name) => `${module.file} has a variable ${name} of its module: keep it in what a function makes`)

/** Names with one value since the module was loaded; only changes inside that value matter. */
const findConstants = (module) =>
  new Set(
    statements(module)
      .flatMap((node) => {
        if (node.type === 'VariableDeclaration') return node.kind === 'const' ? node.declarations : []
        return node.type === 'ClassDeclaration' ? [node] : []
      })
      .filter(({ init }) => !(init?.type === 'NewExpression' && FORGETFUL.includes(init.callee.name)))
      .flatMap(({ id }) => declaredNames(id)),
  )

/** Calls that run when the module is loaded. */
function findMemories(module) {
  const problems = []
  visitNodes(module.program, (node, ancestors) => {
    if (node.type !== 'CallExpression' || ancestors.some(isFunction)) return
    const { callee } = node
    if (MEMORIES.includes(callee.name))
      problems.push(`${module.file} calls ${callee.name} in its module: call it where the context is made`)
    if (isFunction(unwrapped(callee)) && declaresVariable(unwrapped(callee)))
      problems.push(
        `${module.file} keeps a variable of a function in its module: keep it in what a function makes`,
      )
  })
  return problems
}

const unwrapped = (node) => (node.type === 'ParenthesizedExpression' ? unwrapped(node.expression) : node)

const declaresVariable = ({ body }) =>
  body.type === 'BlockStatement' &&
  body.body.some((node) => node.type === 'VariableDeclaration' && node.kind !== 'const')

/** Changes of constants of this module, or of those that it imports. */
function findChanges(module, constants) {
  const owners = new Map([...constants.get(module.file)].map((name) => [name, { owner: module.file, name }]))
  for (const { moduleRequest, entries } of module.module.staticImports) {
    if (!moduleRequest.value.startsWith('.')) continue
    const owner = normalize(join(dirname(module.file), moduleRequest.value))
    for (const { importName, localName, isType } of entries)
      if (!isType && constants.get(owner)?.has(importName.name))
        owners.set(localName.value, { owner, name: importName.name })
  }
  const changes = []
  visitNodes(module.program, (node, ancestors) => {
    const name = changedName(node)
    if (owners.has(name) && !ancestors.some((scope) => declares(scope, name)))
      changes.push({ file: module.file, ...owners.get(name) })
  })
  return changes
}

/** The name whose value this node changes: by an assignment to a part of it, by a method, or by a function of `Object`. */
function changedName(node) {
  switch (node.type) {
    case 'AssignmentExpression':
      return partOwner(node.left)
    case 'UpdateExpression':
      return partOwner(node.argument)
    case 'UnaryExpression':
      return node.operator === 'delete' ? partOwner(node.argument) : undefined
    case 'CallExpression': {
      const callee = withoutTypes(node.callee)
      if (callee.type !== 'MemberExpression') return undefined
      const method = callee.property.name
      const isOfObject = callee.object.name === 'Object' || callee.object.name === 'Reflect'
      if (isOfObject && OBJECT_MUTATORS.has(method)) return rootName(node.arguments[0])
      return MUTATORS.has(method) ? rootName(callee.object) : undefined
    }
    default:
      return undefined
  }
}

const partOwner = (node) => {
  const target = withoutTypes(node)
  return target.type === 'MemberExpression' ? rootName(target.object) : undefined
}

/** `state` of `state.open[0]!.x` */
function rootName(node) {
  const inner = withoutTypes(node)
  if (inner?.type === 'Identifier') return inner.name
  return inner?.type === 'MemberExpression' ? rootName(inner.object) : undefined
}

/** `x` of `x!`, `x as T` and `(x)`. */
const withoutTypes = (node) =>
  /^(?:TS(?:NonNull|As|Satisfies|TypeAssertion)|Parenthesized|Chain)/.test(node?.type)
    ? withoutTypes(node.expression)
    : node

/** Whether the name means something else inside this node than at the top of the module. */
function declares(node, name) {
  if (isFunction(node)) return node.params.some((param) => declaredNames(param).includes(name))
  if (node.type === 'CatchClause') return declaredNames(node.param).includes(name)
  if (node.type.startsWith('For')) return declaresIn([node.init ?? node.left], name)
  return node.type === 'BlockStatement' && declaresIn(node.body, name)
}

const declaresIn = (nodes, name) =>
  nodes.some((node) =>
    node?.type === 'VariableDeclaration'
      ? node.declarations.some(({ id }) => declaredNames(id).includes(name))
      : node?.type === 'FunctionDeclaration' && node.id?.name === name,
  )
