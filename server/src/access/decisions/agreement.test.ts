/**
 * For random small worlds, check agrees with a plain recursive evaluation of [docs/access], written here a second time
 * from its sentences; explain, the lists and impact agree with check on every pair.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeWorld, type World } from '../../../test/harness/access-world.ts'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { rounds } from '../../../test/harness/rounds.ts'
import { checkMany, permissionQuestion, privilegeQuestion } from './check.ts'
import { explain } from './explain.ts'
import { findImpact } from '../relations/impact.ts'
import { listPrivileges } from './list-privileges.ts'
import { listResources } from './list-resources.ts'
import { listSubjects } from './list-subjects.ts'
import { privileges } from '../privileges.ts'
import { findReach } from './reach.ts'
import { objectTypes, type Permission, permissions } from '../schema.ts'
import { createVisibilityCheck } from './visible-to.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

const organizations = ['organization:a', 'organization:b', 'organization:c', 'organization:d']
const nodes = ['node:n', 'node:m', 'node:o']
const objects = ['asset:x', 'asset:y', 'dashboard:z']
const users = ['user:u', 'user:v', 'user:w']
const groups = ['group:g', 'group:h']
const everything = [...organizations, ...nodes, ...objects, ...users, ...groups, 'tenant:t']
const subjects = [...users, ...groups, 'organization:b', 'tenant:t', 'node:n']
const everyone = { limit: 1000, after: undefined }

const managers = [
  'asset_manager',
  'dashboard_manager',
  'organization_manager',
  'tree_manager',
  'user_manager',
  'data_viewer',
]
const anyWord = (...values: string[]) => fc.constantFrom(...values)
const anyTuple = (...[subject, relation, resource]: fc.Arbitrary<string>[]) =>
  fc.tuple(subject!, relation!, resource!).map((parts) => parts.join(' '))

const relation = fc.oneof(
  anyTuple(anyWord(...users), anyWord('member', 'manager', 'owner', 'viewer'), anyWord(...groups)),
  anyTuple(
    anyWord(...users, ...groups),
    anyWord('member', 'viewer', 'manager', 'owner', ...managers),
    anyWord(...organizations),
  ),
  anyTuple(
    anyWord(...subjects),
    anyWord('viewer', 'manager', 'owner'),
    anyWord(...nodes, ...objects, ...users, ...groups),
  ),
  anyTuple(
    anyWord('organization:b', 'organization:c'),
    anyWord('viewer', 'asset_manager'),
    anyWord(...organizations),
  ),
  anyTuple(
    anyWord(...users, ...groups),
    anyWord('owner', 'viewer', 'manager', 'member', ...managers),
    fc.constant('tenant:t'),
  ),
  anyTuple(anyWord('node:n', 'node:m'), fc.constant('parent'), anyWord('node:m', 'node:o', 'asset:x')),
)

const world = fc.record({
  // Each organization is below an earlier one, or at the root; each object and node belongs to one of them.
  above: fc.tuple(fc.nat(1), fc.nat(2), fc.nat(3)),
  belongs: fc.array(anyWord(...organizations), { minLength: 6, maxLength: 6 }),
  relations: fc.uniqueArray(relation, { minLength: 1, maxLength: 14 }),
  lacking: fc.array(
    fc.tuple(
      anyWord('tenant', 'a', 'b', 'c', 'd'),
      anyWord('asset_management', 'organization_management', 'data_view'),
    ),
    {
      maxLength: 2,
    },
  ),
})
type Sketch = typeof world extends fc.Arbitrary<infer T> ? T : never

function writeTuples({ above, belongs, relations }: Sketch): string[] {
  const places = ['tenant:t', ...organizations]
  const parents = [0, ...above].map((place, index) => `${places[place]} parent ${organizations[index]}`)
  const homes = [...nodes, ...objects].map((object, index) => `${belongs[index]} parent ${object}`)
  const people = [...users, ...groups].map((each) => `tenant:t parent ${each}`)
  return [...new Set([...parents, ...homes, ...people, ...relations])]
}

const grantPrivileges = ({ lacking }: Sketch) =>
  Object.fromEntries(
    ['tenant', 'a', 'b', 'c', 'd'].map((name) => [
      name,
      privileges.filter((privilege) => !lacking.some(([at, which]) => at === name && which === privilege)),
    ]),
  )

/** The rules of the guide, one after the other, over a list of tuples. [docs/access] */
function evaluator(tuples: string[], granted: Record<string, string[]>) {
  const all = tuples.map((text) => text.split(' ') as [string, string, string])
  const has = (subject: string, relations: string[], resource: string) =>
    all.some(([s, r, o]) => s === subject && relations.includes(r) && o === resource)
  const readType = (thing: string) => thing.split(':')[0]!
  const parents = (thing: string, type: string) =>
    all.filter(([s, r, o]) => o === thing && r === 'parent' && readType(s) === type).map(([s]) => s)

  const subjectSet = (subject: string): string[] => {
    const own =
      readType(subject) === 'user'
        ? groups.filter((group) => has(subject, ['member', 'manager', 'owner'], group))
        : []
    const people = ['user', 'group'].includes(readType(subject)) ? [subject, ...own] : []
    return [
      subject,
      ...own,
      ...organizations.filter((each) => people.some((one) => has(one, ['member'], each))),
    ]
  }
  const held = (subject: string, relations: string[], resource: string) =>
    subjectSet(subject).some((each) => has(each, relations, resource))
  /** Whether the subject has one of the relations to the place or to one above it. */
  const heldAbove = (subject: string, relations: string[], place: string): boolean =>
    held(subject, relations, place) ||
    [
      ...parents(place, 'organization'),
      ...(readType(place) === 'organization' ? parents(place, 'tenant') : []),
    ].some((up) => heldAbove(subject, relations, up))
  const effective = (privilege: string, place: string): boolean =>
    granted[readType(place) === 'tenant' ? 'tenant' : place.split(':')[1]!]!.includes(privilege) &&
    [...parents(place, 'organization'), ...parents(place, 'tenant')].every((up) => effective(privilege, up))
  const holds = (subject: string, privilege: string, place: string) =>
    effective(privilege, place) && heldAbove(subject, ['owner', 'manager', holderRelation(privilege)], place)
  const holderRelation = (privilege: string) =>
    privilege === 'data_view' ? 'data_viewer' : privilege.replace('management', 'manager')
  const nodesAbove = (thing: string, seen: string[] = []): string[] =>
    parents(thing, 'node')
      .filter((node) => !seen.includes(node))
      .reduce<string[]>(
        (found, node) => (found.includes(node) ? found : nodesAbove(node, [...found, node])),
        seen,
      )

  const typesPrivilege: Record<string, string> = {
    organization: 'organization_management',
    user: 'user_management',
    group: 'user_management',
    node: 'tree_management',
    asset: 'asset_management',
    dashboard: 'dashboard_management',
  }
  const may = (subject: string, permission: Permission, object: string): boolean => {
    const type = readType(object)
    const reaching = {
      view: ['viewer', 'manager', 'owner'],
      manage: ['manager', 'owner'],
      delete: ['owner'],
      share: ['manager', 'owner'],
    }[permission]
    const homes = [...parents(object, 'organization'), ...parents(object, 'tenant')]
    if (held(subject, reaching, object)) return true
    if (nodesAbove(object).some((node) => held(subject, reaching, node))) return true
    const privilege = typesPrivilege[type]
    if (privilege && homes.some((home) => holds(subject, privilege, home))) return true
    if (type === 'organization' && holds(subject, privilege!, object)) return true
    if (permission !== 'view') return false
    const isData = type === 'asset' || type === 'dashboard'
    if (isData && homes.some((home) => holds(subject, 'data_view', home))) return true
    if (homes.some((home) => heldAbove(subject, reaching, home))) return true
    if (type === 'organization' || type === 'tenant')
      return all.some(([s, r, o]) => o === object && r !== 'parent' && subjectSet(subject).includes(s))
    if (type === 'group' && held(subject, ['member'], object)) return true
    // An organization (node, tenant) and its members may view the objects that belong to it.
    return subjectSet(subject).some((each) => has(each, ['parent'], object))
  }
  return { may, holds }
}

const pairs = subjects.flatMap((subject) =>
  everything.flatMap((object) => permissions.map((permission) => ({ subject, object, permission }))),
)

/** Permissions, as `subject permission object`. */
async function allAllowed(at: World): Promise<Set<string>> {
  const questions = pairs.map(({ subject, object, permission }) =>
    permissionQuestion(at.tenantId, at.subject(subject), permission, at.resource(object)),
  )
  const answers = await checkMany(database.pool, questions)
  return new Set(
    pairs
      .filter((_, index) => answers[index])
      .map((pair) => `${pair.subject} ${pair.permission} ${pair.object}`),
  )
}

let count = 0
const forWorlds = (numRuns: number, verify: (at: World, sketch: Sketch) => Promise<void>) =>
  fc.assert(
    fc.asyncProperty(world, async (sketch) => {
      const at = await makeWorld(
        database.db,
        `world-${count++}`,
        writeTuples(sketch),
        grantPrivileges(sketch),
      )
      await verify(at, sketch)
    }),
    { numRuns },
  )

test('check agrees with the rules of the guide, one by one', () =>
  forWorlds(rounds(60, 10), async (at, sketch) => {
    const { may, holds } = evaluator(writeTuples(sketch), grantPrivileges(sketch))
    const expected = pairs.filter(({ subject, permission, object }) => may(subject, permission, object))
    expect([...(await allAllowed(at))]).toEqual(
      expected.map(({ subject, permission, object }) => `${subject} ${permission} ${object}`),
    )
    for (const subject of [...users, ...groups])
      for (const privilege of ['asset_management', 'organization_management', 'data_view'] as const) {
        const expectedIn = organizations.filter((each) => holds(subject, privilege, each))
        const questions = organizations.map((each) =>
          privilegeQuestion(at.tenantId, at.subject(subject), privilege, at.resource(each).id),
        )
        const answers = await checkMany(database.pool, questions)
        expect(organizations.filter((_, index) => answers[index])).toEqual(expectedIn)
        const listed = await listPrivileges(database.pool, {
          tenantId: at.tenantId,
          subject: at.subject(subject),
          privilege,
        })
        expect(listed.map((tuple) => tuple.organizationId)).toEqual(
          expectedIn.map((each) => at.resource(each).id).toSorted(),
        )
      }
  }))

/** The id of the organization to which the object belongs. */
function readHome(at: World, sketch: Sketch, object: string): string {
  const tuple = writeTuples(sketch).find(
    (text) => /^organization:\w+ parent /.test(text) && text.endsWith(` ${object}`),
  )
  return at.resource(tuple!.split(' ')[0]!).id
}

test('explain, list resources and list subjects agree with check on every pair', () =>
  forWorlds(rounds(15, 3), async (at, sketch) => {
    const allowed = await allAllowed(at)
    const { pool, db } = database
    const explained: string[] = []
    for (const { subject, permission, object } of pairs) {
      const why = await explain(pool, {
        tenantId: at.tenantId,
        subject: at.subject(subject),
        permission,
        resource: at.resource(object),
      })
      if (why.result) explained.push(`${subject} ${permission} ${object}`)
    }
    expect(explained).toEqual([...allowed])
    for (const permission of permissions) {
      for (const subject of subjects)
        for (const type of objectTypes) {
          const reach = await findReach(pool, {
            tenantId: at.tenantId,
            subject: at.subject(subject),
            type,
            permission,
          })
          const listed = await listResources(db, [reach], everyone)
          const expected = everything.filter(
            (each) => each.startsWith(`${type}:`) && allowed.has(`${subject} ${permission} ${each}`),
          )
          expect(listed).toEqual(expected.map((each) => at.resource(each).id).toSorted())
          const isVisible = createVisibilityCheck(reach)
          const held = [...nodes, ...objects].filter((each) => each.startsWith(`${type}:`))
          const visible = held.filter((each) =>
            isVisible({ id: at.resource(each).id, organizationId: readHome(at, sketch, each) }),
          )
          expect(visible).toEqual(held.filter((each) => expected.includes(each)))
        }
      for (const object of everything)
        for (const type of ['user', 'group'] as const) {
          const listed = await listSubjects(pool, {
            tenantId: at.tenantId,
            resource: at.resource(object),
            permission,
            subjectType: type,
            page: everyone,
          })
          const expected = (type === 'user' ? users : groups).filter((each) =>
            allowed.has(`${each} ${permission} ${object}`),
          )
          expect(listed).toEqual(expected.map((each) => at.subject(each).id))
        }
    }
  }))

test('a granted permission is explained by a chain to the object, a refused one by tuples that would grant it', () =>
  forWorlds(rounds(12, 3), async (at, sketch) => {
    // Nodes contain objects, but the grants that are proposed are those of the organization or tenant.
    const listHomes = (object: string) =>
      writeTuples(sketch)
        .filter((text) => text.endsWith(` parent ${object}`) && !text.startsWith('node:'))
        .map((text) => text.split(' ')[0])
    for (const { subject, permission, object } of pairs.filter((_, index) => index % 7 === 0)) {
      const [from, to] = [at.subject(subject), at.resource(object)]
      const { result, chain, missing } = await explain(database.pool, {
        tenantId: at.tenantId,
        subject: from,
        permission,
        resource: to,
      })
      if (result) {
        const ends = chain.flatMap((tuple) => [
          `${tuple.subjectType}:${tuple.subjectId}`,
          `${tuple.resourceType}:${tuple.resourceId}`,
        ])
        expect(ends[0]).toBe(`${from.type}:${from.id}`)
        expect(ends.at(-1)).toBe(`${to.type}:${to.id}`)
        for (let index = 1; index + 1 < ends.length; index += 2) expect(ends[index]).toBe(ends[index + 1])
      }
      const text = missing.map(
        (tuple) =>
          `${subject} ${tuple.relation} ${everything.find((each) => at.resource(each).id === tuple.resourceId)}`,
      )
      for (const tuple of text) {
        expect([object, ...listHomes(object)]).toContain(tuple.split(' ').at(-1))
        await at.insert([tuple])
        const [now] = await checkMany(database.pool, [permissionQuestion(at.tenantId, from, permission, to)])
        expect({ tuple, now }).toEqual({ tuple, now: true })
        await at.delete([tuple])
      }
    }
  }))

test('impact is the difference between the permissions before and after the deletion', () =>
  forWorlds(rounds(15, 3), async (at, { relations }) => {
    const gone = relations.find((text) => !text.includes(' parent '))
    if (!gone) return
    const before = await allAllowed(at)
    const ids = users.map((each) => at.subject(each).id)
    const impact = await findImpact(database.db, {
      tenantId: at.tenantId,
      tuple: at.tuple(gone),
      userIds: ids,
      countNotified: async () => [],
    })
    expect(await allAllowed(at)).toEqual(before)
    await at.delete([gone])
    const after = await allAllowed(at)
    const named = (type: string, id: string) =>
      everything.find((each) => each.startsWith(`${type}:`) && at.resource(each).id === id)
    const told = impact.permissions.flatMap(({ userId, permission, resourceType, resourceIds }) =>
      resourceIds.map((id) => `user:${userId} ${permission} ${named(resourceType, id)}`),
    )
    const lost = [...before].filter(
      (claim) => claim.startsWith('user:') && !after.has(claim) && !claim.includes(' tenant:'),
    )
    expect(told.toSorted()).toEqual(lost.toSorted())
  }))
