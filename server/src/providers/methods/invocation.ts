/** Shapes of a direct method's invocation, which requests and templates share. [docs/twins#methods] */
import Type from 'typebox'
import { FreeObject, Nullable } from '../../http/shapes.ts'

export const ComponentId = Nullable(Type.String({ maxLength: 128 }))
/** The name is a level of an MQTT topic. */
export const METHOD_NAME = /^[A-Za-z0-9._-]{1,128}$/
export const MethodName = Type.String({
  pattern: METHOD_NAME.source,
  description: 'Letters, digits, `.`, `_`, `-`',
})
export const Payload = Nullable(FreeObject)
export const MAX_TIMEOUT_SECONDS = 300
export const TimeoutSeconds = Type.Integer({ minimum: 5, maximum: MAX_TIMEOUT_SECONDS, default: 30 })

/** A payload with its envelope must fit into an MQTT message of 1 MB. */
export const METHOD_BODY_LIMIT = 900_000
