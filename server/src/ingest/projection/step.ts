/**
 * A binding, ready to run: what comes in at its remote endpoints becomes the value of its local one, which others may
 * read in turn. [docs/assets#what-an-asset-stores]
 */
import type { EndpointKind } from '../../assets/endpoints.ts'
import type { InstanceType } from '../../assets/bindings/store.ts'
import type { Logic } from '../../lib/json-logic.ts'
import type { SeriesType } from '../../timeseries/storage/series-key.ts'

/** Commands go the other way. */
export type SignalKind = Exclude<EndpointKind, 'command'>

export const seriesType = (kind: SignalKind): SeriesType =>
  kind === 'telemetry' ? 'telemetry' : 'propertyReported'

export interface Step {
  assetNumber: number
  assetId: string
  componentId: string
  kind: SignalKind
  name: string
  /** The value as it is where null. */
  transform: Logic | null
  /** Whether the model's endpoint takes the value. */
  fits(value: unknown): boolean
  /** What the model says that it takes, for people. */
  schema: string
  /** At least one. With a transform over several the last values of the others count, too: see `isJoin`. */
  inputs: Input[]
  readers: Reader[]
}

/** A remote endpoint. */
export interface Input {
  /** What the transform calls its value. */
  name: string
  ownerType: InstanceType
  ownerId: string
  componentId: string
  kind: SignalKind
  endpoint: string
}

/** Who reads an endpoint, and as which of its inputs. */
export interface Reader {
  step: Step
  input: Input
}

/** What is read of one signal of a client. */
export interface SignalUse {
  readers: Reader[]
  /** Of an object that stands for a component: by the names in it. */
  fields: Map<string, Reader[]>
}

/** How the messages of one provider client become samples of assets. */
export interface Plan {
  telemetry: Map<string, SignalUse>
  property: Map<string, SignalUse>
  /** Steps with several inputs, each after those whose values it reads. */
  joins: Step[]
  /** Whose bindings it was made of. */
  assetIds: Set<string>
}

/** With several inputs and no transform the value is simply that of the remote that spoke last. */
export const isJoin = ({ inputs, transform }: Step): boolean => inputs.length > 1 && transform !== null
