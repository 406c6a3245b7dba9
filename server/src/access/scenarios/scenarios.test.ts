/**
 * Runs scenarios/*.yaml: tuples, then assertions that must be true or false. [docs/access#relations] Each assertion is
 * checked by check, explain, list resources and list subjects.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { makeWorld, type World } from '../../../test/harness/access-world.ts'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { check, permissionQuestion } from '../decisions/check.ts'
import { checkPrivilege } from '../decisions/check-privilege.ts'
import { explain } from '../decisions/explain.ts'
import { listPrivileges } from '../decisions/list-privileges.ts'
import { listResources } from '../decisions/list-resources.ts'
import { listSubjects } from '../decisions/list-subjects.ts'
import { type Privilege, privileges } from '../privileges.ts'
import { findReach } from '../decisions/reach.ts'
import { objectTypes, type Permission, permissions, typeRelations, type ResourceType } from '../schema.ts'
import { objectScenarios } from './object-scenarios.ts'
import type { Claims, Scenario } from './scenario.ts'

interface ScenarioFile {
  world: string[]
  scenarios: Scenario[]
  /** Types of objects with the privilege that manages them. */
  types?: Partial<Record<ResourceType, Privilege>>
}

const directory = fileURLToPath(new URL('./', import.meta.url))
const files = readdirSync(directory)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => {
    const file = parse(readFileSync(`${directory}/${name}`, 'utf8')) as ScenarioFile
    const ofTypes = Object.entries(file.types ?? {}).flatMap(([type, privilege]) =>
      objectScenarios(type as ResourceType, privilege),
    )
    return { name, world: file.world, scenarios: [...file.scenarios, ...ofTypes] }
  })
const everyone = { limit: 1000, after: undefined }

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

async function answers(world: World, claim: string) {
  const [from = '', verb = '', to] = claim.split(' ')
  const { pool, db } = database
  const { tenantId } = world
  const subject = world.subject(from)
  if (privileges.includes(verb as Privilege)) {
    const [privilege, organizationId] = [verb as Privilege, to && world.resource(to).id]
    return {
      check: await checkPrivilege(pool, { tenantId, subject, privilege, organizationId }),
      list: (await listPrivileges(pool, { tenantId, subject, privilege })).some(
        (tuple) => !organizationId || tuple.organizationId === organizationId,
      ),
    }
  }
  if (!permissions.includes(verb as Permission)) throw new Error(`"${claim}" asks for nothing that is known`)
  const [permission, resource] = [verb as Permission, world.resource(to ?? '')]
  const asked = {
    check: await check(pool, permissionQuestion(tenantId, subject, permission, resource)),
    explain: (await explain(pool, { tenantId, subject, permission, resource })).result,
    subjects: (
      await listSubjects(pool, { tenantId, resource, permission, subjectType: subject.type, page: everyone })
    ).includes(subject.id),
  }
  if (!objectTypes.some((type) => type === resource.type)) return asked
  const reach = await findReach(pool, { tenantId, subject, type: resource.type, permission })
  return { ...asked, resources: (await listResources(db, [reach], everyone)).includes(resource.id) }
}

/** Failed assertions, with the answer of each kind of query. */
async function wrongClaims(world: World, claims: Claims) {
  const claimed = [
    ...(claims.true ?? []).map((claim) => ({ claim, truth: true })),
    ...(claims.false ?? []).map((claim) => ({ claim, truth: false })),
  ]
  const asked = claimed.map(async ({ claim, truth }) => ({
    claim,
    truth,
    answered: await answers(world, claim),
  }))
  return (await Promise.all(asked)).filter(({ truth, answered }) =>
    Object.values(answered).some((each) => each !== truth),
  )
}

describe.each(files)('$name', ({ name: file, world: common, scenarios }) => {
  test.each(scenarios.map((scenario, index) => ({ ...scenario, index })))('$name', async (scenario) => {
    const tenantId = `${file.replace('.yaml', '')}-${scenario.index}`
    if (scenario.elsewhere)
      await makeWorld(database.db, `${tenantId}-elsewhere`, [...common, ...scenario.elsewhere])
    const tuples = [...common, ...(scenario.tuples ?? [])]
    const world = await makeWorld(database.db, tenantId, tuples, scenario.privileges)
    expect(await wrongClaims(world, scenario)).toEqual([])
    for (const step of scenario.then ?? []) {
      if (step.insert) await world.insert(step.insert)
      if (step.delete) await world.delete(step.delete)
      expect(await wrongClaims(world, step)).toEqual([])
    }
  })
})

describe('the scenarios cover everything', () => {
  const all = files.flatMap((file) => file.scenarios)
  const claims = (scenario: Scenario) => [scenario, ...(scenario.then ?? [])]
  const truths = all.flatMap(claims).flatMap((claim) => claim.true ?? [])
  const falsehoods = all.flatMap(claims).flatMap((claim) => claim.false ?? [])
  const tuples = all.flatMap((scenario) => scenario.tuples ?? [])

  test('there are at least 60 scenarios', () => expect(all.length).toBeGreaterThanOrEqual(60))

  test.each(objectTypes)('the scenarios expect each permission on %s both granted and refused', (type) => {
    const claimed = (texts: string[]) =>
      permissions.filter((permission) => texts.some((text) => text.includes(` ${permission} ${type}:`)))
    expect(claimed(truths)).toEqual(permissions)
    expect(claimed(falsehoods)).toEqual(permissions)
  })

  test.each(privileges)('the scenarios expect %s both granted and refused', (privilege) => {
    expect(truths.some((text) => text.includes(` ${privilege}`))).toBe(true)
    expect(falsehoods.some((text) => text.includes(` ${privilege}`))).toBe(true)
  })

  test.each(typeRelations('organization').filter((relation) => relation !== 'parent'))(
    'the scenarios relate %s to an organization',
    (relation) => {
      expect(tuples.some((text) => text.includes(` ${relation} organization:`))).toBe(true)
    },
  )
})
