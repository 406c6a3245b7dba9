import { ApiError, type Issue } from '@gangway/client'
import type { EditorProblem } from '../../parts/code-editor/find-problems.ts'

export interface BindingProblems {
  transform: EditorProblem[]
  inverse: EditorProblem[]
  /** Problems by the index of the source. */
  sources: Record<number, string[]>
  /** Problems that belong to no field. */
  other: string[]
}

const noProblems: BindingProblems = { transform: [], inverse: [], sources: {}, other: [] }

/** Assigns the issues of a refused preview or bind request to the fields. */
export const readProblems = (error: unknown): BindingProblems =>
  error instanceof ApiError ? findProblemsOf(error.issues) : noProblems

export function findProblemsOf(issues: readonly Pick<Issue, 'path' | 'message'>[]): BindingProblems {
  const found: BindingProblems = { transform: [], inverse: [], sources: {}, other: [] }
  for (const { path, message } of issues) {
    const [, field = '', rest = ''] =
      /^(?:body\.)?(?:binding|endpointBindings\.0)(?:\.(transform|inverseTransform|remoteEndpointIds))?(?:\.(.*))?$/.exec(
        path,
      ) ?? []
    const index = Number.parseInt(rest, 10)
    if (field === 'transform') found.transform.push({ path: rest, message })
    else if (field === 'inverseTransform') found.inverse.push({ path: rest, message })
    else if (field === 'remoteEndpointIds' && Number.isFinite(index))
      found.sources[index] = [...(found.sources[index] ?? []), message]
    else found.other.push(message)
  }
  return found
}

export const countProblems = ({ transform, inverse, sources, other }: BindingProblems) =>
  transform.length + inverse.length + other.length + Object.values(sources).flat().length
