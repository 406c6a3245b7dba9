import { dirname, join, normalize } from 'node:path'

const CONTEXT = 'server/src/context.ts'

/**
 * What the context is made of must not need the context, types included: such a file would have to be read together with
 * everything else. It takes the few parts that it uses, and their types stand beside them.
 *
 * @param sources `{ file, text }`, without tests
 * @returns files that `context.ts` imports, directly or not, and that import it
 */
export function findContextCircle(sources) {
  const imports = new Map(sources.map(({ file, text }) => [file, importedFiles(file, text)]))
  const importers = new Map([...imports.keys()].map((file) => [file, []]))
  for (const [file, targets] of imports) for (const target of targets) importers.get(target)?.push(file)
  const above = reach(CONTEXT, importers)
  return [...reach(CONTEXT, imports)].filter((file) => file !== CONTEXT && above.has(file)).toSorted()
}

const importedFiles = (file, text) =>
  [...text.matchAll(/^(?:import|export) [^'"]*?from '(\.[^']+)'/gms)].map(([, target]) =>
    normalize(join(dirname(file), target)),
  )

function reach(start, next) {
  const found = new Set([start])
  for (const file of found) for (const other of next.get(file) ?? []) found.add(other)
  return found
}
