/** Measures access checks and how their cost grows from ten thousand relations to a million. */
import type { Bench, BenchCase } from '../bench-case.ts'
import { type Child, startProgram } from '../child.ts'
import { compare, type Finding } from '../measure/finding.ts'
import { interleave } from '../measure/interleave.ts'
import {
  administratorId,
  authorizeUsers,
  branchManager,
  dashboardBesides,
  grantedDashboard,
  makeId,
  insertWorld,
  NO_GRANT,
  ordinaryUsers,
  singleGrantee,
  type WorldSize,
} from '../platform/access-world.ts'
import { type Platform, startPlatform } from '../platform/start.ts'
import type { Check, ChecksProgram } from '../programs/checks.ts'
import type { Request, RequestsProgram } from '../programs/requests.ts'

const LARGE: WorldSize = { organizations: 1000, users: 10_000, dashboards: 100_000, tuples: 1_000_000 }
const SMALL: WorldSize = { organizations: 10, users: 100, dashboards: 1000, tuples: 10_000 }

const ASKING_USERS = 64
const CONNECTIONS = 32
const ROUNDS = 3
const ROUND_SECONDS = 1.5
const PAGES = 5
const PAGE_ENTRIES = [100, 1000]
const WRITES = 50
const CHECKS_AT_ONCE = 100
const EMPTY = 'GET /v1/endpoints, which only authenticates'

const readers = ['administrator', 'manager of a branch', 'user with 10 grants'] as const
type Reader = (typeof readers)[number]

export const access: BenchCase = {
  name: 'access',
  about:
    'checks, lists (of dashboards) and writes over 1,000,000 relations, against 10,000 and an empty route',
  maxSeconds: 240,
  async run(bench) {
    const client = await bench.use(startProgram<RequestsProgram>('requests'))
    const small = await prepare(bench, SMALL)
    const large = await prepare(bench, LARGE)
    const run = { bench, client, small, large }
    return [
      ...(await measureChecksInProcess(run)),
      ...(await measureChecks(run)),
      ...(await measureChecksAlone(run)),
      ...(await measurePages(run)),
      ...(await measureWrites(run)),
    ]
  },
}

interface World {
  size: WorldSize
  url: string
  checker: Child<ChecksProgram>
  checks: Check[]
  /** The same as `checks`, each requested by its own subject. */
  checkRequests: Request[]
  /** A route that only authenticates, called by the same users. */
  emptyRequests: Request[]
  authorizations: Record<Reader, string>
}

interface Run {
  bench: Bench
  client: Child<RequestsProgram>
  small: World
  large: World
}

async function prepare(bench: Bench, size: WorldSize): Promise<World> {
  const platform = await bench.use(startPlatform(bench))
  bench.progress(`making ${size.tuples.toLocaleString('en')} relations`)
  await insertWorld(platform, size)
  const checker = await bench.use(startProgram<ChecksProgram>('checks'))
  await checker.call('connect', platform.databaseUrl)
  const users = Array.from({ length: ASKING_USERS }, (_, index) => 1 + ((index * 151) % ordinaryUsers(size)))
  const authorizations = await authorizeUsers(
    platform,
    users.map((user) => makeId('user', user)),
  )
  const checks = users.flatMap((user, place) =>
    makeChecks(size, user).map((check) => ({ check, authorization: authorizations[place]! })),
  )
  return {
    size,
    url: platform.api().url,
    checker,
    checks: checks.map(({ check }) => check),
    checkRequests: checks.map(({ check, authorization }) => checkRequest(check, authorization)),
    emptyRequests: checks.map(({ authorization }) => ({
      method: 'GET',
      path: '/v1/endpoints',
      authorization,
    })),
    authorizations: await authorizeReaders(platform, size),
  }
}

/** Checks through the organization, by a grant, and without either; visible objects may not be managed. */
function makeChecks(size: WorldSize, user: number): Check[] {
  const check = (permission: Check['permission'], dashboard: number, result: boolean): Check => ({
    userId: makeId('user', user),
    permission,
    dashboardId: makeId('dashboard', dashboard),
    result,
  })
  const [belonging, granted] = [dashboardBesides(size, user), grantedDashboard(size, user, 1)]
  return [
    check('view', belonging, true),
    check('view', granted, true),
    check('view', grantedDashboard(size, user, NO_GRANT), false),
    check('manage', granted, false),
  ]
}

const checkRequest = (check: Check, authorization: string): Request => ({
  method: 'POST',
  path: '/v1/permissions/check',
  authorization,
  body: {
    subjectType: 'user',
    subjectId: check.userId,
    resourceType: 'dashboard',
    resourceId: check.dashboardId,
    permission: check.permission,
  },
})

async function authorizeReaders(platform: Platform, size: WorldSize): Promise<Record<Reader, string>> {
  const [all, branch, single] = await authorizeUsers(platform, [
    await administratorId(platform),
    makeId('user', branchManager(size)),
    makeId('user', singleGrantee(size)),
  ])
  return { administrator: all!, 'manager of a branch': branch!, 'user with 10 grants': single! }
}

async function measureChecksInProcess({ bench, small, large }: Run): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const atOnce of [1, CHECKS_AT_ONCE]) {
    const check = ({ checker, checks }: World) => checker.call('check', checks, atOnce, ROUND_SECONDS)
    await Promise.all([check(small), check(large)])
    const rounds = await interleave(bench, ROUNDS, { large: () => check(large), small: () => check(small) })
    findings.push(
      growth(`checks/s in process, ${atOnce} at once`, {
        unit: 'checks/s',
        better: 'more',
        large: rounds.large,
        small: rounds.small,
      }),
    )
  }
  return findings
}

async function measureChecks({ bench, client, small, large }: Run): Promise<Finding[]> {
  const ask = ({ url }: World, requests: Request[]) =>
    client.call('askFor', url, requests, CONNECTIONS, ROUND_SECONDS)
  for (const world of [small, large]) await ask(world, world.checkRequests)
  await ask(large, large.emptyRequests)
  const measured = await interleave(bench, ROUNDS, {
    large: () => ask(large, large.checkRequests),
    empty: () => ask(large, large.emptyRequests),
    small: () => ask(small, small.checkRequests),
  })
  const measure = `checks/s over HTTP, ${CONNECTIONS} connections`
  return [
    compare({
      measure,
      unit: 'checks/s',
      better: 'more',
      rounds: measured.large,
      baseline: { name: EMPTY, rounds: measured.empty },
      goal: { ratioAtLeast: 0.5 },
    }),
    growth(measure, { unit: 'checks/s', better: 'more', large: measured.large, small: measured.small }),
  ]
}

/** One request after the other, so that they do not influence each other's time. */
async function measureChecksAlone({ bench, client, small, large }: Run): Promise<Finding[]> {
  const p50Ms: Record<string, number[]> = { large: [], empty: [], small: [] }
  const ask = async (name: string, { url }: World, requests: Request[]) => {
    const answered = await client.call('askEach', url, requests)
    p50Ms[name]!.push(answered.p50Ms)
    return answered.p95Ms
  }
  const p95Ms = await interleave(bench, ROUNDS, {
    large: () => ask('large', large, large.checkRequests),
    empty: () => ask('empty', large, large.emptyRequests),
    small: () => ask('small', small, small.checkRequests),
  })
  const shared = { unit: 'ms', better: 'less' } as const
  return [
    compare({
      ...shared,
      measure: 'check over HTTP, p95',
      rounds: p95Ms.large,
      baseline: { name: EMPTY, rounds: p95Ms.empty },
      goal: { valueAtMost: 1 },
    }),
    compare({
      ...shared,
      measure: 'check over HTTP, p50',
      rounds: p50Ms.large!,
      baseline: { name: EMPTY, rounds: p50Ms.empty! },
      goal: { ratioAtLeast: 0.5 },
    }),
    growth('check over HTTP, p50', { unit: 'ms', better: 'less', large: p50Ms.large!, small: p50Ms.small! }),
  ]
}

async function measurePages({ bench, client, small, large }: Run): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const reader of readers)
    for (const limit of PAGE_ENTRIES) {
      const path = `/v1/dashboards?limit=${limit}`
      const ask = async ({ url, authorizations }: World) => {
        const request: Request = { method: 'GET', path, authorization: authorizations[reader] }
        return (
          await client.call(
            'askEach',
            url,
            Array.from({ length: PAGES }, () => request),
          )
        ).p50Ms
      }
      await Promise.all([ask(small), ask(large)])
      const rounds = await interleave(bench, ROUNDS, { large: () => ask(large), small: () => ask(small) })
      const measure = `first page of ${limit} dashboards, ${reader}`
      findings.push({
        ...growth(measure, { unit: 'ms', better: 'less', large: rounds.large, small: rounds.small }),
        goal: { valueAtMost: 20 },
      })
    }
  return findings
}

/** Writes by the administrator, with check, audit entry and commit to disk. */
async function measureWrites({ bench, client, small, large }: Run): Promise<Finding[]> {
  let written = 0
  const write = async ({ url, authorizations, size }: World) => {
    const requests = Array.from({ length: WRITES }, (): Request => {
      const number = written++
      return {
        method: 'POST',
        path: '/v1/relations',
        authorization: authorizations.administrator,
        body: {
          subjectType: 'user',
          subjectId: makeId('user', 1 + (number % ordinaryUsers(size))),
          resourceType: 'dashboard',
          resourceId: makeId('dashboard', 1 + (number % size.dashboards)),
          relation: 'manager',
        },
      }
    })
    return (await client.call('askEach', url, requests)).p50Ms
  }
  const rounds = await interleave(bench, ROUNDS, { large: () => write(large), small: () => write(small) })
  return [
    growth('one relation written', { unit: 'ms', better: 'less', large: rounds.large, small: rounds.small }),
  ]
}

const growth = (
  measure: string,
  { unit, better, large, small }: { unit: string; better: 'more' | 'less'; large: number[]; small: number[] },
): Finding =>
  compare({
    measure,
    unit,
    better,
    rounds: large,
    baseline: { name: `${SMALL.tuples.toLocaleString('en')} relations`, rounds: small },
  })
