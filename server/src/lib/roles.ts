/** Reads GANGWAY_ROLES: the parts of the platform that a node runs. [docs/operating#roles] */
import { findNearestName } from './nearest.ts'
import { list, type Parse } from './setting-values.ts'

export const ROLES = ['gateway', 'ingest', 'api', 'worker'] as const
type Role = (typeof ROLES)[number]
export type Roles = ReadonlySet<Role>

const isRole = (name: string): name is Role => (ROLES as readonly string[]).includes(name)

export const parseRoles: Parse<Roles> = (value) => {
  const names = list(value)
  const wrong = names.find((name) => !isRole(name))
  if (wrong !== undefined) {
    const nearest = findNearestName(wrong, [...ROLES])
    throw new Error(
      `there is no role ${wrong}${nearest ? `; did you mean ${nearest}?` : ''} (the roles are ${ROLES.join(', ')})`,
    )
  }
  const roles = new Set(names.filter(isRole))
  if (roles.size === 0) throw new Error(`must name one role or several of ${ROLES.join(', ')}`)
  if (roles.size < names.length) throw new Error('names a role twice')
  return roles
}

interface Needs {
  roles: Roles
  ingest: 'database' | 'stream'
  databaseUrl: string | undefined
  natsUrl: object | undefined
  publicUrl: string | undefined
}

/** @returns why the roles do not fit the other settings */
export function findRoleProblems({ roles, ingest, databaseUrl, natsUrl, publicUrl }: Needs): string[] {
  if (roles.size === ROLES.length) return []
  const missing = ROLES.filter((role) => !roles.has(role)).join(' and ')
  const problems: string[] = []
  if (ingest === 'database' && roles.has('gateway') !== roles.has('ingest'))
    problems.push(
      'gateway and ingest have to be on the same node, since a gateway stores the messages of its devices itself; with GANGWAY_INGEST=stream they may be apart',
    )
  if (!databaseUrl)
    problems.push(`needs DATABASE_URL, since no other node with ${missing} could use the embedded database`)
  if (!natsUrl && roles.has('api') !== roles.has('ingest'))
    problems.push('needs GANGWAY_NATS_URL, which brings live values from nodes with ingest to those with api')
  if (!publicUrl && roles.has('worker') && !roles.has('api'))
    problems.push(
      'needs GANGWAY_PUBLIC_URL, since links in messages of a worker without api lead to other nodes',
    )
  return problems.map((problem) => `GANGWAY_ROLES: ${problem}`)
}
