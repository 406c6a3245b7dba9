/** How often the platform's verdict about a model is that of the specification. [docs/models#agreement] */
import { expect, test } from 'vitest'
import { type Case, isAllowed, type Version } from '../../../../test/harness/dtdl-cases/case.ts'
import { exceptions } from '../../../../test/harness/dtdl-cases/exceptions.ts'
import { extensionCases } from '../../../../test/harness/dtdl-cases/extension-cases.ts'
import { jsonLdCases } from '../../../../test/harness/dtdl-cases/json-ld-cases.ts'
import { quantityCases } from '../../../../test/harness/dtdl-cases/quantity-cases.ts'
import { schemaCases } from '../../../../test/harness/dtdl-cases/schema-cases.ts'
import { structureCases } from '../../../../test/harness/dtdl-cases/structure-cases.ts'
import { ApiError } from '../../../http/errors.ts'
import { resolveModel } from '../resolve.ts'
import { readInterface } from './interface.ts'

const others = [...jsonLdCases, ...structureCases, ...schemaCases, ...extensionCases]
const cases = [...others, ...quantityCases]
const versions: Version[] = [2, 3]

/** The models that the cases name. */
const known = new Map(
  ['dtmi:com:example:Motor;1', 'dtmi:a:base;1'].map((id) => [
    id,
    readInterface({ '@context': 'dtmi:dtdl:context;2', '@id': id, '@type': 'Interface' }),
  ]),
)

function isAccepted(definition: unknown): boolean {
  try {
    resolveModel(readInterface(definition), known)
    return true
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return false
  }
}

const listVerdicts = ([allowed, what, make]: Case) =>
  versions.map((version) => ({
    title: `${what} (v${version})`,
    isException: isAllowed(exceptions[what]?.versions ?? 'neither', version),
    agrees: isAccepted(make(version)) === isAllowed(allowed, version),
  }))

test('each case is decided as the specification says, but for the exceptions that are listed', () => {
  const verdicts = cases.flatMap(listVerdicts)
  const titles = (some: typeof verdicts) => some.map(({ title }) => title)
  expect(titles(verdicts.filter(({ agrees }) => !agrees))).toEqual(
    titles(verdicts.filter(({ isException }) => isException)),
  )
  expect(new Set(titles(verdicts)).size).toBe(verdicts.length)
  const names = new Set(cases.map(([, what]) => what))
  expect(Object.keys(exceptions).filter((what) => !names.has(what))).toEqual([])
})

test('at least 97 of 100 cases agree in either version, also without the quantities, which are many alike', () => {
  for (const some of [cases, others])
    for (const version of versions) {
      const verdicts = some.map((one) => listVerdicts(one)[version - 2]!)
      const agreed = verdicts.filter(({ agrees }) => agrees).length
      expect(agreed / verdicts.length).toBeGreaterThanOrEqual(0.97)
    }
})
