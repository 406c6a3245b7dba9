/** The loads that were measured, as the simulation plays them. */
import { chooseCosts, type Costs, type Model } from './costs.ts'
import type { Delay, Figures, Point } from './figures.ts'
import type { Load } from './world.ts'

const DEVICES = 100
/** Linux lets a timer be so late, and nothing else. */
const TIMER_SLACK_MS = 0.05
const LEAST_MS = 0.02

/** @returns the load of a point, on the machine that was measured, which all processes share */
export function describeLoad(
  figures: Figures,
  { replicas, inFlight, messagesPerSecond }: Point,
  { model, seconds }: { model: Model; seconds: number },
): Load {
  const costs = chooseCosts(model, replicas)
  return {
    replicas,
    inFlight,
    messagesPerSecond,
    seconds,
    costs,
    devices: DEVICES,
    gateways: 1,
    ingestNodes: replicas === 0 ? 0 : 1,
    processors: figures.machine.cpus,
    isBench: true,
    ...describeWaits(figures, costs, replicas),
  }
}

/** Waits that were measured have wake-ups in them, which the simulation plays besides. */
export function describeWaits(
  figures: Figures,
  { gateway, database, nats }: Costs,
  replicas: number,
): Pick<Load, 'disk' | 'publish' | 'wake'> {
  const wake = lessen(findCalmest(figures), TIMER_SLACK_MS)
  const wakes = (...us: number[]) => us.reduce((sum, one) => sum + wake.p50Ms + one / 2000, 0)
  const trip = [nats.wake, gateway.wake]
  const alone = figures.publish.get(replicas)
  return {
    wake,
    disk: lessen(figures.commit, wakes(database.wake, gateway.wake)),
    publish: alone
      ? lessen(alone, replicas === 1 ? wakes(...trip) : wakes(nats.wake, nats.wake, ...trip))
      : figures.commit,
  }
}

const lessen = ({ p50Ms, p99Ms }: Delay, ms: number): Delay => ({
  p50Ms: Math.max(LEAST_MS, p50Ms - ms),
  p99Ms: Math.max(LEAST_MS, p99Ms - ms),
})

/** @returns the wake of the point that others disturbed least */
const findCalmest = ({ points }: Figures): Delay =>
  points.map(({ wake }) => wake).toSorted((one, other) => one.p99Ms - other.p99Ms)[0]!
