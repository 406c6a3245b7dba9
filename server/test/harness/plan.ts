/** The plan of a statement, as returned by `explain (format json)`. */
export interface PlanNode {
  'Relation Name'?: string
  Alias?: string
  Operation?: string
  'CTE Name'?: string
  'Subplan Name'?: string
  'Parent Relationship'?: string
  Plans?: PlanNode[]
  [property: string]: unknown
}

/** Visits the node and all below it. */
export function visitPlan(node: PlanNode, visit: (node: PlanNode) => void): void {
  visit(node)
  for (const child of node.Plans ?? []) visitPlan(child, visit)
}
