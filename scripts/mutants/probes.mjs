// Which test files run the code around a fault: only these can notice it.
import { parseSync } from 'oxc-parser'

/** @returns where a probe can be put, the nearest around the place; nothing outside of functions, which all tests run */
function findPlace(node, offset) {
  let place
  const visit = (each) => {
    if (Array.isArray(each)) return each.forEach(visit)
    if (typeof each?.type !== 'string' || each.start > offset || each.end <= offset) return
    const { type, body, consequent } = each
    const statements = type === 'BlockStatement' ? body : type === 'SwitchCase' ? consequent : []
    const statement = statements.find(({ start, end }) => start <= offset && offset < end)
    if (statement) place = { start: statement.start }
    if (type === 'ArrowFunctionExpression' && body.type !== 'BlockStatement' && body.start <= offset)
      place = { start: body.start, end: body.end }
    Object.values(each).forEach((child) => child && typeof child === 'object' && visit(child))
  }
  visit(node)
  return place
}

/**
 * @param faults of the file; each is told whether it has a probe
 * @returns the file with a probe for each fault, but for those outside of functions
 */
export function insertProbes(file, text, faults) {
  const { program } = parseSync(file, text)
  const insertions = faults.flatMap((fault) => {
    const { id, start } = fault
    const place = findPlace(program.body, start)
    fault.hasProbe = place !== undefined
    if (!place) return []
    const probe = `globalThis.probe?.(${id})`
    return place.end === undefined
      ? [[place.start, `${probe};`]]
      : [
          [place.start, `(${probe}, `],
          [place.end, ')'],
        ]
  })
  return insertions
    .toSorted(([one], [other]) => other - one)
    .reduce((changed, [at, added]) => changed.slice(0, at) + added + changed.slice(at), text)
}
