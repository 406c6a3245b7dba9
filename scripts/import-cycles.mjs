import { dirname, join, normalize } from 'node:path'
import { visitNodes } from './parse.mjs'

/**
 * Finds import cycles in a room and across rooms. Files of a cycle belong into one file, or need a third file for what they
 * share. Type imports count too, since a reader has to follow them.
 *
 * @param modules as `parseModule` returns them, without tests
 * @returns one shortest cycle for each group of files that need each other, as lists of files
 */
export function findImportCycles(modules) {
  const imports = new Map(modules.map((module) => [module.file, importedFiles(module)]))
  const cycles = []
  const done = new Set()
  for (const file of imports.keys()) {
    if (done.has(file)) continue
    const cycle = shortestCycle(file, imports)
    if (!cycle) continue
    cycles.push(cycle)
    // One cycle for each group: further cycles are found when this one is gone.
    for (const other of imports.keys())
      if (shortestPath(file, other, imports) && shortestPath(other, file, imports)) done.add(other)
  }
  return cycles
}

/** Relative imports and exports of the module, and its `import('./x.ts')`, be it a module or a type. */
function importedFiles({ file, program, module }) {
  const specifiers = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.map(({ moduleRequest }) => moduleRequest?.value),
    ),
  ]
  visitNodes(program, (node) => {
    if (node.type === 'ImportExpression' || node.type === 'TSImportType') specifiers.push(node.source.value)
  })
  const relative = specifiers.filter((specifier) => specifier?.startsWith('.'))
  return [...new Set(relative.map((specifier) => normalize(join(dirname(file), specifier))))]
}

const shortestCycle = (file, imports) => {
  const paths = imports.get(file).map((target) => shortestPath(target, file, imports))
  const shortest = paths.filter(Boolean).toSorted((a, b) => a.length - b.length)[0]
  return shortest && [file, ...shortest]
}

/** Files from one to the other, both included. */
function shortestPath(from, to, imports) {
  const before = new Map([[from, undefined]])
  for (const file of before.keys()) {
    if (file === to) {
      const path = []
      for (let step = to; step; step = before.get(step)) path.unshift(step)
      return path
    }
    for (const target of imports.get(file) ?? []) if (!before.has(target)) before.set(target, file)
  }
  return undefined
}
