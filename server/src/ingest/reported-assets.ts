/** From what devices reported to what their assets are. */
import { type ReportedChange, setIn } from '../assets/twins/merge-reported.ts'
import type { Properties } from '../providers/twin/merge-patch.ts'
import type { Projected } from './projection/projected.ts'
import { isJoin, type Plan, type Step } from './projection/step.ts'

/** One change of each asset that the report concerns, once its joins are made. */
export function reportedChanges({ measurement, bound }: Projected): ReportedChange[] {
  if (!bound) return []
  const patches = new Map<number, Properties>()
  const set = (step: Step, value: unknown) => {
    const patch = patches.get(step.assetNumber) ?? {}
    patches.set(step.assetNumber, patch)
    setIn(patch, step, value)
  }
  for (const step of removedBy(bound.plan, measurement)) set(step, null)
  for (const { step, value } of bound.run.outputs) set(step, value)
  const at = new Date(measurement.timeMs)
  return [...patches].map(([assetNumber, patch]) => ({ assetNumber, patch, at }))
}

/** What the device has no longer, its assets have no longer. */
function removedBy(plan: Plan, { names, values }: Projected['measurement']): Step[] {
  const steps: Step[] = []
  const visit = (step: Step) => {
    if (isJoin(step) || steps.includes(step)) return
    steps.push(step)
    for (const reader of step.readers) visit(reader.step)
  }
  names.forEach((name, index) => {
    const use = values[index] === null ? plan.property.get(name) : undefined
    for (const { step } of use ? [...use.readers, ...[...use.fields.values()].flat()] : []) visit(step)
  })
  return steps
}
