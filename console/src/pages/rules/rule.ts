import type { Schemas } from '@gangway/client'
import { writeJson } from '../../parts/code-editor/write-json.ts'
import { parseLogic } from './signals.ts'

export type Rule = Schemas['Alarm']

/** A rule as it is edited. The conditions are texts, which may be invalid JSON while the user types; '' is none. */
export interface RuleDraft {
  name: string
  description: string
  type: string
  severity: number
  /** '' for the default of a new rule. */
  organizationId: string
  /** Id of the model; '' is none. */
  modelId: string
  assetIds: string[]
  condition: string
  clearCondition: string
  forSeconds: number
  noDataSeconds: number
  maxLatenessSeconds: number
}

export const newRule: RuleDraft = {
  name: '',
  description: '',
  type: '',
  severity: 3,
  organizationId: '',
  modelId: '',
  assetIds: [],
  condition: '',
  clearCondition: '',
  forSeconds: 0,
  noDataSeconds: 0,
  maxLatenessSeconds: 0,
}

export const startDraft = (rule: Rule): RuleDraft => ({
  name: rule.name,
  description: rule.description ?? '',
  type: rule.type ?? '',
  severity: rule.severity,
  organizationId: rule.organizationId,
  modelId: rule.entityTypeId ?? '',
  assetIds: rule.entityIds,
  condition: formatLogic(rule.condition),
  clearCondition: formatLogic(rule.clearCondition),
  forSeconds: rule.forSeconds,
  noDataSeconds: rule.noDataSeconds,
  maxLatenessSeconds: rule.maxLatenessSeconds,
})

/** A condition formatted for reading; what is no JSON stays as it is. */
function formatLogic(text: string | null): string {
  if (text === null) return ''
  const logic = parseLogic(text)
  return logic === undefined ? text : writeJson(logic)
}

/** The body of the request that saves a draft. */
export const writeBody = (draft: RuleDraft) => ({
  name: draft.name.trim(),
  description: draft.description.trim() || null,
  type: draft.type || null,
  severity: draft.severity,
  ...(draft.organizationId !== '' && { organizationId: draft.organizationId }),
  entityTypeId: draft.modelId || null,
  entityIds: draft.assetIds,
  condition: draft.condition.trim() || null,
  clearCondition: draft.clearCondition.trim() || null,
  forSeconds: draft.forSeconds,
  noDataSeconds: draft.noDataSeconds,
  maxLatenessSeconds: draft.maxLatenessSeconds,
})

/** Fields of a rule as the server sends it: its id may stand in a text that was copied from there. */
const known = new Set([...Object.keys(writeBody({ ...newRule, organizationId: 'any' })), 'id'])

/** Fields of a body that no rule has, such as a mistyped `forSecond`; saving would drop them. */
export function listUnknown(value: unknown): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.keys(value).filter((name) => !known.has(name))
}

/** Reads a body that was written by hand. @returns undefined if a field is missing, unknown, or has another type */
export function readBody(value: unknown): RuleDraft | undefined {
  const body = value as Partial<Rule> | null
  if (typeof body !== 'object' || body === null || typeof body.name !== 'string') return undefined
  if (listUnknown(body).length > 0) return undefined
  const { description, type, organizationId, entityTypeId, condition, clearCondition } = body
  const texts = [description, type, organizationId, entityTypeId, condition, clearCondition]
  if (!texts.every((text) => text === undefined || text === null || typeof text === 'string'))
    return undefined
  const { severity = 3, forSeconds = 0, noDataSeconds = 0, maxLatenessSeconds = 0, entityIds = [] } = body
  if (![severity, forSeconds, noDataSeconds, maxLatenessSeconds].every((one) => Number.isInteger(one)))
    return undefined
  if (!Array.isArray(entityIds) || !entityIds.every((id) => typeof id === 'string')) return undefined
  return {
    name: body.name,
    description: description ?? '',
    type: type ?? '',
    severity,
    organizationId: organizationId ?? '',
    modelId: entityTypeId ?? '',
    assetIds: entityIds,
    condition: formatLogic(condition ?? null),
    clearCondition: formatLogic(clearCondition ?? null),
    forSeconds,
    noDataSeconds,
    maxLatenessSeconds,
  }
}
