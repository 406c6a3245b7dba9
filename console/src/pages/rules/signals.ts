/** The signals that a condition in JSONLogic reads. */
import type { Signal } from '../explore/signal.ts'

export interface Content {
  name: string
  kind: string
  componentId: string | null
  unit?: string | null
}

/** The names of variables in the order in which they stand in the expression, each once. */
export function listVariables(logic: unknown): string[] {
  const found = new Set<string>()
  const visit = (node: unknown) => {
    if (Array.isArray(node)) return node.forEach(visit)
    if (typeof node !== 'object' || node === null) return
    for (const [operator, operand] of Object.entries(node)) {
      const name: unknown = Array.isArray(operand) ? operand[0] : operand
      if (operator === 'var' && typeof name === 'string') found.add(name)
      else visit(operand)
    }
  }
  visit(logic)
  return [...found]
}

/** The name of a signal in a condition: `temperature`, or `motor.rpm` of a component. */
export const writeVariable = ({ componentId, name }: Pick<Content, 'componentId' | 'name'>) =>
  componentId === null ? name : `${componentId}.${name}`

/** The content of the model that a variable reads; also for a place within its value, such as `position.lat`. */
export const findContent = <C extends Content>(variable: string, contents: readonly C[]): C | undefined =>
  contents.find(
    (content) =>
      content.kind === 'telemetry' &&
      (variable === writeVariable(content) || variable.startsWith(`${writeVariable(content)}.`)),
  )

/** The signals of an asset that conditions read; expressions that are no JSON read none. */
export function listSignals(
  conditions: readonly (string | null)[],
  contents: readonly Content[],
  ownerId: string,
): Signal[] {
  const variables = conditions.flatMap((text) => listVariables(parseLogic(text)))
  const read = new Set(variables.map((variable) => findContent(variable, contents)))
  return [...read].flatMap((content) =>
    content === undefined
      ? []
      : [
          {
            id: `${ownerId}/${content.componentId ?? '-'}/telemetry/${content.name}`,
            ownerId,
            componentId: content.componentId,
            kind: 'telemetry' as const,
            name: content.name,
          },
        ],
  )
}

/** @returns undefined if the text is no JSON, or there is none */
export function parseLogic(text: string | null): unknown {
  if (text === null) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
