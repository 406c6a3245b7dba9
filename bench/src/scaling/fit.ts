/** Finds the parameters of the model: what a message, a batch in the stream and a commit cost each process. */
import { type Cost, type Figures, type MeasuredPoint, PARTS } from './figures.ts'

/** Microseconds of processor time. */
export interface PartCost {
  message: number
  batch: number
  commit: number
}

export type Costs = Record<keyof Cost, PartCost>

const ROUNDS = 2000

/** @returns the costs of direct ingest for 0 replicas, else those of the stream */
export function fitCosts({ points }: Pick<Figures, 'points'>, replicas: number): Costs {
  const own = points.filter((point) => point.replicas === replicas)
  if (own.length < 3) throw new Error(`too few points were measured with ${replicas} replicas`)
  return Object.fromEntries(PARTS.map((part) => [part, fitPart(own, part)])) as Costs
}

function fitPart(points: MeasuredPoint[], part: keyof Cost): PartCost {
  const rows = points.map(({ messagesPerCommit, messagesPerBatch, cost }) => ({
    shares: [
      1,
      messagesPerBatch > 0 ? 1 / messagesPerBatch : 0,
      // The gateway of a stream and NATS commit nothing.
      messagesPerBatch > 0 && (part === 'gateway' || part === 'nats' || part === 'fleet')
        ? 0
        : 1 / messagesPerCommit,
    ],
    cost: cost[part],
  }))
  const [message, batch, commit] = solve(rows)
  return { message: message!, batch: batch!, commit: commit! }
}

interface Row {
  shares: number[]
  cost: number
}

/**
 * Least squares of the relative errors, where no cost is negative: one cost after the other takes its best value until none
 * changes any more.
 */
function solve(rows: Row[]): number[] {
  const known = rows.filter(({ cost }) => cost > 0)
  const costs = [0, 0, 0]
  for (let round = 0; round < ROUNDS; round++)
    for (const index of costs.keys()) {
      let above = 0
      let below = 0
      for (const { shares, cost } of known) {
        const others = shares.reduce((sum, share, at) => (at === index ? sum : sum + share * costs[at]!), 0)
        const share = shares[index]! / cost
        above += share * (1 - others / cost)
        below += share * share
      }
      costs[index] = below > 0 ? Math.max(0, above / below) : 0
    }
  return costs
}
