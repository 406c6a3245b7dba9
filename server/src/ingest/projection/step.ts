/**
 * A compiled binding: the values of its remote endpoints become the value of its local one, which other bindings may
 * read in turn. [docs/assets#what-an-asset-stores]
 */
import type { EndpointKind } from '../../assets/endpoints.ts'
import type { InstanceType } from '../../assets/bindings/store.ts'
import type { Logic } from '../../lib/json-logic.ts'
import type { SeriesType } from '../../timeseries/storage/series-key.ts'

/** Commands are excluded, since they go the other way. */
export type SignalKind = Exclude<EndpointKind, 'command'>

export const seriesType = (kind: SignalKind): SeriesType =>
  kind === 'telemetry' ? 'telemetry' : 'propertyReported'

export interface Step {
  assetNumber: number
  assetId: string
  componentId: string
  kind: SignalKind
  name: string
  /** Null where the value is used as it is. */
  transform: Logic | null
  /** Whether the value fits the schema of the model's endpoint. */
  fits(value: unknown): boolean
  /** Type of the schema, for error messages. */
  schema: string
  /** At least one input. A transform over several inputs also uses the last values of the others: see `isJoin`. */
  inputs: Input[]
  readers: Reader[]
  /**
   * The newest value of the only input, for previews, because it is not stored anywhere else. Undefined before the
   * first value; a large value is not kept.
   */
  lastInput: unknown
  lastInputMs: number
}

/** A remote endpoint. */
export interface Input {
  /** Name of its value in the transform. */
  name: string
  ownerType: InstanceType
  ownerId: string
  componentId: string
  kind: SignalKind
  endpoint: string
}

/** A step that reads an endpoint, and the input that it reads it as. */
export interface Reader {
  step: Step
  input: Input
}

/** The readers of one signal of a client. */
export interface SignalUse {
  readers: Reader[]
  /** Readers of the fields of a component's object, by field name. */
  fields: Map<string, Reader[]>
}

/** How the messages of one provider client become samples of assets. */
export interface Plan {
  telemetry: Map<string, SignalUse>
  property: Map<string, SignalUse>
  /** Steps with several inputs, each after those whose values it reads. */
  joins: Step[]
  /** Assets whose bindings the plan contains. */
  assetIds: Set<string>
}

/** With several inputs and no transform, the value is simply that of the endpoint that sent last. */
export const isJoin = ({ inputs, transform }: Step): boolean => inputs.length > 1 && transform !== null
