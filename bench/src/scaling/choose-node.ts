/** How many messages a second one gateway takes, and what they cost. */
import { ASSUMPTIONS } from './assumptions.ts'
import { chooseCosts, type Model, NOTHING } from './costs.ts'
import type { Figures } from './figures.ts'
import { describeWaits } from './measured-load.ts'
import { simulate, type Simulated } from './simulate.ts'
import type { Load } from './world.ts'

/** The measured figures, and the model that was fitted to them. */
export interface Known {
  figures: Figures
  model: Model
}

export interface PlannedLoad {
  devices: number
  messagesPerSecond: number
}

export interface Node extends Simulated {
  /** Messages a second of each gateway. */
  rate: number
}

/** Rates of one gateway from which the greatest is chosen that leaves room. */
const RATES = [1000, 2000, 3000, 4000, 6000, 8000, 10_000, 15_000, 20_000, 30_000]
/** Each process of a planned installation finds a free processor. */
const PROCESSORS = 64
const SECONDS = 2
/** Gateways that share a stream in the simulation. */
const SHARING = 4

/** @returns a gateway at the greatest rate at which it has room */
export function chooseNode(known: Known, load: PlannedLoad, replicas: number): Node {
  const { devices, messagesPerSecond } = load
  const play = (rate: number, gateways: number) =>
    simulate(
      describePlayed(known, { rate, gateways, devicesPerMessage: devices / messagesPerSecond, replicas }),
    )
  const most = messagesPerSecond * Math.min(1, ASSUMPTIONS.connections / devices)
  let chosen: Node | undefined
  for (const greatest of RATES) {
    const rate = Math.min(greatest, most)
    if (chosen?.rate === rate) break
    const node = play(rate, 1)
    const hasRoom =
      node.cost.gateway * rate <= ASSUMPTIONS.utilization * 1_000_000 && node.p99Ms <= ASSUMPTIONS.p99Ms
    if (chosen && !hasRoom) break
    chosen = { ...node, rate }
  }
  const { rate } = chosen!
  const gateways = Math.min(SHARING, Math.ceil(messagesPerSecond / rate))
  return replicas === 0 || gateways === 1 ? chosen! : { ...play(rate, gateways), rate }
}

interface Played {
  rate: number
  gateways: number
  devicesPerMessage: number
  replicas: number
}

function describePlayed(
  { figures, model }: Known,
  { rate, gateways, devicesPerMessage, replicas }: Played,
): Load {
  const costs = chooseCosts(model, replicas)
  return {
    replicas,
    gateways,
    ingestNodes: replicas === 0 ? 0 : gateways,
    messagesPerSecond: rate * gateways,
    inFlight: 0,
    devices: Math.max(1, Math.round(rate * gateways * devicesPerMessage)),
    seconds: SECONDS,
    processors: PROCESSORS,
    // Devices are no machine of the installation.
    costs: { ...costs, fleet: NOTHING },
    isBench: false,
    ...describeWaits(figures, costs, replicas),
  }
}
