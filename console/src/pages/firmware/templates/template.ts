import type { Schemas } from '@gangway/client'
import { readValue, writeValue } from '../value-text.ts'

export type Template = Schemas['DeploymentTemplate']
export type Course = Pick<Template, 'steps' | 'status'>

export const statusLists = ['successStatuses', 'failureStatuses', 'rejectStatuses', 'cancelStatuses'] as const
export type StatusList = (typeof statusLists)[number]

/** A template as it is edited; values of statuses and steps are texts. */
export interface TemplateValues {
  displayName: string
  description: string
  version: string
  /** '' is the first one. */
  organizationId: string
  steps: { name: string; displayName: string; text: string }[]
  statusPropertyName: string
  statuses: Record<StatusList, string[]>
}

const firstStep = {
  name: 'firmware',
  displayName: '',
  text: JSON.stringify({ url: '{{fileUrl}}', sha256: '{{fileSha256}}', version: '{{releaseName}}' }, null, 2),
}

export const newStep = { name: '', displayName: '', text: '{}' }

export const newTemplate: TemplateValues = {
  displayName: '',
  description: '',
  version: '',
  organizationId: '',
  steps: [firstStep],
  statusPropertyName: 'firmwareStatus',
  statuses: {
    successStatuses: ['Installed'],
    failureStatuses: ['Failed'],
    rejectStatuses: ['Rejected'],
    cancelStatuses: ['Cancelled'],
  },
}

/** A new template that begins as a copy. */
export const copyTemplate = (template: Template): TemplateValues => ({
  displayName: template.displayName,
  description: template.description ?? '',
  version: template.version ?? '',
  organizationId: template.organizationId,
  steps: template.steps.map(({ name, displayName = '', value }) => ({
    name,
    displayName,
    text: JSON.stringify(value, null, 2),
  })),
  statusPropertyName: template.status.statusPropertyName,
  statuses: mapLists((list) => template.status.statusMap[list].map(({ value }) => writeValue(value))),
})

/** The steps and statuses as they are sent. A value that is no JSON is sent as a text, until it is mended. */
export const writeCourse = ({ steps, statusPropertyName, statuses }: TemplateValues): Course => ({
  steps: steps.map(({ name, displayName, text }) => ({
    name,
    ...(displayName.trim() !== '' && { displayName: displayName.trim() }),
    type: 'SetProperty',
    value: readValue(text),
  })),
  status: {
    statusType: 'ReportedProperty',
    statusPropertyName,
    statusMap: mapLists((list) => statuses[list].map((text) => ({ value: readValue(text) }))),
  },
})

export const writeTemplate = (values: TemplateValues) => ({
  displayName: values.displayName.trim(),
  description: values.description.trim() || null,
  version: values.version.trim() || null,
  ...writeCourse(values),
})

const mapLists = <T>(map: (list: StatusList) => T) =>
  Object.fromEntries(statusLists.map((list) => [list, map(list)])) as Record<StatusList, T>

interface Words {
  required: string
  notJson: string
  stepTwice: string
  successNeeded: string
}

/** @returns problems by path */
export function checkTemplate(values: TemplateValues, words: Words): Record<string, string> {
  const { displayName, steps, statusPropertyName, statuses } = values
  const problems: Record<string, string> = {}
  const names = steps.map(({ name }) => name)
  if (displayName.trim() === '') problems.displayName = words.required
  for (const [index, { name, text }] of steps.entries()) {
    if (name === '') problems[`steps.${index}.name`] = words.required
    else if (names.indexOf(name) < index) problems[`steps.${index}.name`] = words.stepTwice
    if (!isJson(text)) problems[`steps.${index}.value`] = words.notJson
  }
  if (statusPropertyName === '') problems['status.statusPropertyName'] = words.required
  if (statuses.successStatuses.length === 0)
    problems['status.statusMap.successStatuses'] = words.successNeeded
  return problems
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
