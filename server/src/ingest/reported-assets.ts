/** Derives the changes of asset twins from reported properties. */
import type { ReportedChange, ReportedValue } from '../assets/twins/merge-reported.ts'
import { isProperties, type Properties } from '../providers/twin/merge-patch.ts'
import type { Projected } from './projection/projected.ts'
import { isJoin, type Plan, type Reader, type Step } from './projection/step.ts'

/**
 * Returns one change for each asset that the report concerns. Runs after the joins.
 * @param reported properties of the report itself
 */
export function reportedChanges({ measurement, bound }: Projected, reported: Properties): ReportedChange[] {
  if (!bound) return []
  const changes = new Map<number, ReportedValue[]>()
  const set = ({ assetNumber, componentId, name }: Step, value: unknown) => {
    const values = changes.get(assetNumber) ?? []
    changes.set(assetNumber, values)
    values.push({ componentId, name, value })
  }
  for (const step of removedBy(bound.plan, reported)) set(step, null)
  for (const { step, value } of bound.run.outputs) set(step, value)
  const at = new Date(measurement.timeMs)
  return [...changes].map(([assetNumber, values]) => ({ assetNumber, values, at }))
}

/** Properties that a device removed are also removed from its assets. */
function removedBy(plan: Plan, said: Properties): Step[] {
  const steps: Step[] = []
  const visit = (step: Step) => {
    if (isJoin(step) || steps.includes(step)) return
    steps.push(step)
    for (const reader of step.readers) visit(reader.step)
  }
  for (const [name, change] of Object.entries(said))
    for (const { step } of readersOfRemoved(plan, name, change)) visit(step)
  return steps
}

/** Returns the readers of a property as a whole, or of the removed fields of a component's object. */
function readersOfRemoved(plan: Plan, name: string, change: unknown): Reader[] {
  const use = plan.property.get(name)
  if (!use) return []
  if (change === null) return [...use.readers, ...[...use.fields.values()].flat()]
  if (!isProperties(change)) return []
  const gone = Object.keys(change).filter((field) => change[field] === null)
  return gone.flatMap((field) => use.fields.get(field) ?? [])
}
