/**
 * Creates organizations, users and dashboards with their relations by a few statements: a million requests would take an
 * hour. Ids are derived from numbers, so that the benchmark knows all permissions. [docs/access]
 */
import { newApiToken } from '@gangway/server/dist/access/api-tokens/verify.js'
import { newId } from '@gangway/server/dist/lib/ids.js'
import type { Platform } from './start.ts'

export interface WorldSize {
  organizations: number
  users: number
  dashboards: number
  tuples: number
}

const BRANCHES = 10
const SINGLE_GRANTS = 10
/** The branch of a manager: a hundredth of a large world, a tenth of a small one. */
const BRANCH = 10

/** The last two users have only the relation that is measured. */
export const branchManager = ({ users }: WorldSize) => users - 1
export const singleGrantee = ({ users }: WorldSize) => users
export const ordinaryUsers = ({ users }: WorldSize) => users - 2

const prefixes = { organization: '0a000000', user: '0b000000', dashboard: '0c000000' }
type Kind = keyof typeof prefixes

export const makeId = (kind: Kind, number: number) =>
  `${prefixes[kind]}-0000-7000-8000-${number.toString(16).padStart(12, '0')}`
const idSql = (kind: Kind, number: string | number) =>
  `('${prefixes[kind]}-0000-7000-8000-' || lpad(to_hex(${number}), 12, '0'))`

/** A dashboard of the organization that the user is a member of. */
export const dashboardBesides = ({ organizations }: WorldSize, user: number) =>
  user % organizations || organizations

/** A dashboard that the user has no access to. */
export const NO_GRANT = 500
/** The dashboard of a user's grant. No two are the same, since 997 has no divisor in common with their number. */
export const grantedDashboard = ({ dashboards }: WorldSize, user: number, grant: number) =>
  1 + ((grant * 997 + user * 31) % dashboards)

export async function insertWorld({ pool }: Platform, size: WorldSize): Promise<void> {
  for (const statement of [...recordStatements(size), ...tupleStatements(size)]) await pool.query(statement)
  // Autovacuum would have done this in an installation of this size.
  await pool.query('vacuum analyze')
}

/**
 * Users and dashboards are distributed over the organizations in turn; the organizations form a tree with ten branches
 * each.
 */
const organizationNumber = ({ organizations }: WorldSize, column: string) =>
  `1 + ${column} % ${organizations}`

const recordStatements = (size: WorldSize) => [
  `insert into organizations (id, tenant_id, parent_organization_id, display_name, privileges)
   select ${idSql('organization', 'o')}::uuid, 'default',
     case when o < ${BRANCHES} then root.id else ${idSql('organization', `o / ${BRANCHES}`)}::uuid end,
     'organization ' || o, root.privileges
   from generate_series(1, ${size.organizations}) o, organizations root
   where root.parent_organization_id is null`,
  `insert into users (id, tenant_id, display_name, email)
   select ${idSql('user', 'u')}::uuid, 'default', 'user ' || u, 'user-' || u || '@example.com'
   from generate_series(1, ${size.users}) u`,
  `insert into dashboards (id, tenant_id, organization_id, display_name)
   select ${idSql('dashboard', 'd')}::uuid, 'default',
     ${idSql('organization', organizationNumber(size, 'd'))}::uuid, 'dashboard ' || d
   from generate_series(1, ${size.dashboards}) d`,
]

function tupleStatements(size: WorldSize): string[] {
  const { organizations, users, dashboards, tuples } = size
  const ordinary = ordinaryUsers(size)
  const grants = tuples - organizations - users - dashboards - ordinary - 1 - SINGLE_GRANTS
  const of = (kind: Kind, number: string | number) => `'${kind}', ${idSql(kind, number)}`
  const relate = (subject: string, relation: string, object: string, count: number) => `
    insert into relations (tenant_id, subject_type, subject_id, relation, resource_type, resource_id)
    select 'default', ${subject}, '${relation}', ${object} from generate_series(1, ${count}) n`
  const grant = (user: string | number, nth: string, count: number) => {
    const dashboard = `1 + (${nth} * 997 + ${user} * 31) % ${dashboards}`
    return relate(of('user', user), 'viewer', of('dashboard', dashboard), count)
  }
  const organization = of('organization', organizationNumber(size, 'n'))
  return [
    `insert into relations (tenant_id, subject_type, subject_id, relation, resource_type, resource_id)
     select 'default', 'organization', parent_organization_id, 'parent', 'organization', id
     from organizations where parent_organization_id is not null`,
    relate(`'tenant', 'default'`, 'parent', of('user', 'n'), users),
    relate(organization, 'parent', of('dashboard', 'n'), dashboards),
    relate(of('user', 'n'), 'member', organization, ordinary),
    relate(of('user', branchManager(size)), 'manager', of('organization', BRANCH), 1),
    grant(singleGrantee(size), 'n', SINGLE_GRANTS),
    grant(`(1 + n % ${ordinary})`, `(n / ${ordinary})`, grants),
  ]
}

/** @returns a token for each of the users, as `Authorization` has it */
export async function authorizeUsers({ pool }: Platform, userIds: string[]): Promise<string[]> {
  const made = userIds.map((userId) => {
    const id = newId()
    return { id, userId, ...newApiToken(id) }
  })
  await pool.query(
    `insert into api_tokens (id, tenant_id, user_id, display_name, secret_hash)
     select id, 'default', user_id, 'bench', hash from unnest($1::uuid[], $2::uuid[], $3::bytea[]) as t (id, user_id, hash)`,
    [made.map(({ id }) => id), made.map(({ userId }) => userId), made.map(({ secretHash }) => secretHash)],
  )
  return made.map(({ token }) => `Bearer ${token}`)
}

export async function administratorId({ pool }: Platform): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(`select id from users where email = 'admin@example.com'`)
  return rows[0]!.id
}
