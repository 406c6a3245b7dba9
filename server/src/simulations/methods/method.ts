/** How simulated devices answer a direct method. A method without a definition answers with its own payload. */
import Type, { type Static } from 'typebox'
import { type Issue, validationError } from '../../http/errors.ts'
import { MethodName } from '../../providers/methods/invocation.ts'

const MAX_PAYLOAD_BYTES = 16 * 1024

export const SimulatedMethod = Type.Object(
  {
    name: MethodName,
    status: Type.Integer({ minimum: 0, maximum: 999, description: '200 to 299 is success' }),
    payload: Type.Optional({
      ...Type.Unknown(),
      description: 'Any JSON; the payload of the invocation if absent',
    }),
    delaySeconds: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 600,
        description: 'Longer than its time-out, the answer is discarded',
      }),
    ),
  },
  { title: 'SimulatedMethod' },
)
export type SimulatedMethod = Static<typeof SimulatedMethod>

/** @throws validation_error */
export function checkMethods(methods: SimulatedMethod[]): SimulatedMethod[] {
  const names = methods.map(({ name }) => name)
  const issues = methods.flatMap(({ name, payload }, index): Issue[] => [
    ...(names.indexOf(name) < index ? [{ path: `methods.${index}.name`, message: 'is given twice' }] : []),
    ...(isTooLarge(payload)
      ? [{ path: `methods.${index}.payload`, message: `must have at most ${MAX_PAYLOAD_BYTES} bytes` }]
      : []),
  ])
  if (issues.length > 0) throw validationError(...issues.slice(0, 20))
  return methods
}

const isTooLarge = (payload: unknown) =>
  payload !== undefined && Buffer.byteLength(JSON.stringify(payload)) > MAX_PAYLOAD_BYTES
