/**
 * The rule by which a binding computes its value: the names of its remotes and its transforms. [docs/assets#transforms]
 */
import Type, { type Static } from 'typebox'
import { FreeObject, Nullable } from '../../http/shapes.ts'
import { readLogic } from '../../lib/json-logic.ts'
import type { EndpointKind } from '../endpoints.ts'
import { refuse } from '../models/dtdl/document.ts'

export const MAX_REMOTES = 32
export const MAX_BINDINGS = 2000

export const RemoteName = Type.String({
  pattern: '^[A-Za-z_][A-Za-z0-9_]{0,127}$',
  description: 'The name of its value in transforms: letters, digits and `_`',
})
const Transform = Type.Optional(
  Nullable(
    Type.Unsafe<Record<string, unknown>>({
      ...FreeObject,
      description: 'JSONLogic over the remote values by their name; a single one is also `value`',
    }),
  ),
)
const InverseTransform = Type.Optional(
  Nullable(
    Type.Unsafe<Record<string, unknown>>({
      ...FreeObject,
      description:
        'JSONLogic over `value`, which is a desired property or the payload of a command, on its way to the remote',
    }),
  ),
)

export const ruleFields = {
  bindingType: Type.Optional(Type.String({ minLength: 1, maxLength: 64, default: 'default' })),
  transform: Transform,
  inverseTransform: InverseTransform,
}
const RuleFields = Type.Object(ruleFields)

export interface Rule {
  bindingType: string
  transform: object | null
  inverseTransform: object | null
}

/** These names reach the prototypes of JavaScript objects instead of values. */
const FORBIDDEN_NAMES = ['__proto__', 'constructor', 'prototype']

/**
 * @param names the names of the remotes
 * @param path the path of the binding in the request
 * @throws validation_error with a path
 */
export function readRule(
  kind: EndpointKind,
  names: string[],
  fields: Static<typeof RuleFields>,
  path: string,
): Rule {
  const forbidden = names.find((name) => FORBIDDEN_NAMES.includes(name))
  if (forbidden) refuse(path, `must not name a remote ${forbidden}`)
  if (new Set(names).size < names.length) refuse(path, 'must give each remote a name of its own')
  if (kind === 'command' && names.length > 1)
    refuse(path, 'must have one remote endpoint: a command has one answer, so it goes to one device')
  const transform = present(fields.transform)
  const inverseTransform = present(fields.inverseTransform)
  if (transform && kind === 'command')
    refuse(`${path}.transform`, 'is for values that come in: a command has an inverseTransform')
  if (inverseTransform && kind === 'telemetry')
    refuse(`${path}.inverseTransform`, 'is for what goes out: telemetry has a transform')
  const single = names.length === 1 ? ['value'] : []
  if (transform) checkVariables(transform, [...names, ...single], `${path}.transform`)
  if (inverseTransform) checkVariables(inverseTransform, [...names, 'value'], `${path}.inverseTransform`)
  return { bindingType: fields.bindingType ?? 'default', transform, inverseTransform }
}

/** An empty object counts as absent, since some clients send one. */
const present = (logic: object | null | undefined) => (logic && Object.keys(logic).length > 0 ? logic : null)

function checkVariables(source: object, known: string[], path: string): void {
  const unknown = readLogic(source, path).variables.find(
    (variable) => !known.includes(variable.split('.')[0]!),
  )
  if (unknown !== undefined)
    refuse(path, `reads ${unknown.slice(0, 80)}, which does not exist; the variables are ${known.join(', ')}`)
}
