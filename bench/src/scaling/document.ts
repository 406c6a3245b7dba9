/** Writes the tables of docs/scaling.md from the figures and the model. */
import type { Known, PlannedLoad } from './choose-node.ts'
import type { Comparison } from './compare.ts'
import { plan } from './plan.ts'
import { writeAlone, writeComparison, writeCosts } from './write-model.ts'
import { writeAssumptions, writePlans } from './write-plans.ts'
import { nameWay } from './write-table.ts'

const START = (name: string) =>
  `<!-- ${name}: written by \`npm run generate\` from bench/figures/scaling.json -->\n`
const END = '<!-- end -->\n'

/** A message every 10 s of each device, and at last one each second. */
const LOADS: PlannedLoad[] = [
  { devices: 1000, messagesPerSecond: 100 },
  { devices: 10_000, messagesPerSecond: 1000 },
  { devices: 100_000, messagesPerSecond: 10_000 },
  { devices: 1_000_000, messagesPerSecond: 100_000 },
  { devices: 1_000_000, messagesPerSecond: 1_000_000 },
]
const WAYS = [0, 3]

/** Everything that the tables of docs/scaling.md show. */
interface Modelled extends Known {
  compared: Comparison[]
}

/** @returns the document with its tables written again @throws if it has no place for one of them */
export function writeDocument(text: string, { figures, model, compared }: Modelled): string {
  const tables = {
    measured: writeComparison(compared),
    alone: writeAlone(figures),
    costs: writeCosts(model),
    plans: WAYS.map((replicas) => {
      const plans = LOADS.map((load) => plan({ figures, model }, load, replicas))
      return `${nameWay(replicas)}:\n\n${writePlans(plans)}`
    }).join('\n'),
    assumptions: writeAssumptions(),
  }
  return Object.entries(tables).reduce((document, [name, table]) => replaceTable(document, name, table), text)
}

function replaceTable(text: string, name: string, table: string): string {
  const [before, rest] = text.split(START(name))
  const after = rest?.slice(rest.indexOf(END))
  if (!after?.startsWith(END)) throw new Error(`docs/scaling.md has no place for the table ${name}`)
  return `${before}${START(name)}\n${table}\n${after}`
}
