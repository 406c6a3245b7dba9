/** Compares the model with the points that it was made from. */
import { type Figures, type MeasuredPoint, PARTS, type Point } from './figures.ts'
import { fitCosts } from './fit.ts'
import { simulate } from './simulate.ts'

/** The measuring machine shares its processors among all processes, the load generator included. */
const DEVICES = 100
const SECONDS = 10

export interface Comparison {
  measured: MeasuredPoint
  modelled: Point
}

export const compareAll = (figures: Figures): Comparison[] =>
  figures.points.map((measured) => ({ measured, modelled: simulatePoint(figures, measured) }))

const simulatePoint = (
  figures: Figures,
  { replicas, inFlight, messagesPerSecond, wake }: MeasuredPoint,
): Point =>
  simulate({
    replicas,
    inFlight,
    messagesPerSecond,
    devices: DEVICES,
    seconds: SECONDS,
    processors: figures.machine.cpus,
    costs: fitCosts(figures, replicas),
    commit: figures.commit,
    publish: figures.publish.get(replicas) ?? figures.commit,
    wake,
  })

/** Processor time of a message on all machines of the installation, in microseconds. */
export const sumCost = ({ cost }: Point): number =>
  PARTS.reduce((sum, part) => (part === 'fleet' ? sum : sum + cost[part]), 0)

/** @returns how many times the greater is the smaller, less 1 */
export const findError = (measured: number, modelled: number): number =>
  Math.max(measured / modelled, modelled / measured) - 1
