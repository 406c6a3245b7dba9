/** Compares the model with the points that it was made from. */
import type { Model } from './costs.ts'
import { type Figures, type MeasuredPoint, PARTS, type Point } from './figures.ts'
import { describeLoad } from './measured-load.ts'
import { simulate } from './simulate.ts'

const SECONDS = 5

export interface Comparison {
  measured: MeasuredPoint
  modelled: Point
}

export const compareAll = (figures: Figures, model: Model): Comparison[] =>
  figures.points.map((measured) => ({
    measured,
    modelled: simulate(describeLoad(figures, measured, { model, seconds: SECONDS })),
  }))

/** Processor time of a message on all machines of the installation, in microseconds. */
export const sumCost = ({ cost }: Point): number =>
  PARTS.reduce((sum, part) => (part === 'fleet' ? sum : sum + cost[part]), 0)

/** @returns how many times the greater is the smaller, less 1 */
export const findError = (measured: number, modelled: number): number =>
  Math.max(measured / modelled, modelled / measured) - 1
