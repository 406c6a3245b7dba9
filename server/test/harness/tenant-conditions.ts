/**
 * Finds statements that read or change rows of tenants without naming the tenant. PostgreSQL reads the SQL: its plan
 * shows the conditions on each table, in whatever way the statement was written.
 */
import type pg from 'pg'
import { visitPlan, type PlanNode } from './plan.ts'

/** Tables whose rows name their tenant, and their partitions. */
export async function listTenantTables(pool: pg.Pool): Promise<Set<string>> {
  const { rows } = await pool.query<{ name: string }>(`
    select c.relname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname in ('tenant_id', 'tenant_number')
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')`)
  return new Set(rows.map(({ name }) => name))
}

/** @returns the tables that the statement does not limit to a tenant */
export async function findTablesWithoutTenant(
  pool: pg.Pool,
  text: string,
  tenantTables: Set<string>,
): Promise<string[]> {
  if (!/^\s*(select|with|update|delete|insert)\b/i.test(text)) return []
  const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (generic_plan, verbose, format json) ${text}`,
  )
  const { tables, groups } = readPlan(rows[0]!['QUERY PLAN'][0].Plan)
  const unlimited = [...tables].filter(
    ([alias, table]) => tenantTables.has(table) && !groups.isLimited(alias),
  )
  return [...new Set(unlimited.map(([, table]) => table))]
}

/** An internal number never comes from a request: it was looked up in the tenant. */
const NAMES_TENANT = /\btenant_(id|number)\b|\btenants?(_\d+)?\.(id|number)\b|\b(\w+_)?number = /
const ALIAS = /(?:"([^"]+)"|\b([a-z_]\w*))\.["a-z_]/g

/**
 * Tables that a condition joins form a group, and one condition with the tenant limits the whole group: that is how a
 * join by an id is limited.
 */
function readPlan(plan: PlanNode) {
  const tables = new Map<string, string>()
  const groups = createGroups()
  const subplans = new Map<string, PlanNode>()
  visitPlan(plan, (node) => {
    if (node['Subplan Name']) subplans.set(node['Subplan Name'], node)
  })
  visitPlan(plan, (node) => {
    const { Alias: alias, Plans: children = [] } = node
    // An inserted row has its tenant, since the column is not null.
    if (alias && node['Relation Name'] && node.Operation !== 'Insert')
      tables.set(alias, node['Relation Name'])
    const cte = subplans.get(`CTE ${node['CTE Name']}`)
    if (alias)
      for (const child of cte ? [...children, cte] : children)
        visitPlan(child, (below) => below.Alias && groups.join(alias, below.Alias))
    for (const condition of listConditions(node)) {
      const named = [...condition.matchAll(ALIAS)].map(([, quoted, plain]) => (quoted ?? plain)!)
      const [first, ...others] = alias ? [alias, ...named] : named
      if (first === undefined) continue
      for (const other of others) groups.join(first, other)
      if (NAMES_TENANT.test(condition)) groups.limit(first)
    }
  })
  return { tables, groups }
}

const listConditions = (node: PlanNode): string[] =>
  Object.entries(node).flatMap(([property, value]) =>
    /( Cond|Filter)$/.test(property) && typeof value === 'string' ? [value] : [],
  )

function createGroups() {
  const parents = new Map<string, string>()
  const limited = new Set<string>()
  const findRoot = (alias: string): string => {
    const parent = parents.get(alias)
    return parent === undefined ? alias : findRoot(parent)
  }
  return {
    join(alias: string, other: string): void {
      const [from, to] = [findRoot(alias), findRoot(other)]
      if (from === to) return
      parents.set(from, to)
      if (limited.has(from)) limited.add(to)
    },
    limit(alias: string): void {
      limited.add(findRoot(alias))
    },
    isLimited: (alias: string): boolean => limited.has(findRoot(alias)),
  }
}
