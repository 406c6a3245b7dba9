/** Computes what an `inverseTransform` would send to the remotes, without sending anything. [docs/assets#preview] */
import { type Outgoing, outgoingValues } from '../../assets/bindings/outgoing.ts'
import type { Binding } from '../../assets/bindings/store.ts'
import { findRequestProblem } from '../../assets/commands/payloads.ts'
import { formatEndpointId } from '../../assets/endpoints.ts'
import { fitsSchema } from '../../assets/models/fits-schema.ts'
import type { EndpointContent } from '../../assets/models/model-endpoints.ts'
import { LogicError } from '../../lib/json-logic.ts'

export interface OutgoingPreview {
  values: { name: string; endpointId: string; value: unknown }[]
  /** Why nothing would be sent. */
  message: string | null
}

/** @param value a desired value of the property, or a payload of the command */
export function previewOutgoing(binding: Binding, content: EndpointContent, value: unknown): OutgoingPreview {
  const problem = findProblem(content, value)
  if (problem !== undefined) return refuseValue(problem)
  try {
    return { values: outgoingValues(binding, value).map(formatOutgoing), message: null }
  } catch (error) {
    if (!(error instanceof LogicError)) throw error
    return refuseValue(`the inverseTransform ${error.message}`)
  }
}

function findProblem(content: EndpointContent, value: unknown): string | undefined {
  if (content.kind === 'command') {
    const problem = findRequestProblem(content, value)
    return problem && `the payload ${problem}`
  }
  return fitsSchema(content.schema, value)
    ? undefined
    : `the value does not fit the schema ${content.schema.type}`
}

const refuseValue = (message: string): OutgoingPreview => ({ values: [], message })

const formatOutgoing = ({ remote, value }: Outgoing) => ({
  name: remote.remoteName,
  endpointId: formatEndpointId(remote),
  value,
})
