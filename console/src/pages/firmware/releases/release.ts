import type { Schemas } from '@gangway/client'
import { readValue, writeValue } from '../value-text.ts'

export type Release = Schemas['FirmwareRelease']

/** A release as it is edited, with the API's names, so that refusals find their fields. */
export interface ReleaseValues {
  displayName: string
  description: string
  /** Chosen once; '' is the first one. */
  organizationId: string
  startingModels: string[]
  propertyValues: { key: string; text: string }[]
  fileResourceId: string | null
  fileName: string
}

export const newRelease: ReleaseValues = {
  displayName: '',
  description: '',
  organizationId: '',
  startingModels: [],
  propertyValues: [],
  fileResourceId: null,
  fileName: '',
}

export const startRelease = (release: Release): ReleaseValues => ({
  displayName: release.displayName,
  description: release.description ?? '',
  organizationId: release.organizationId,
  startingModels: release.startingModels.map(({ id }) => id),
  propertyValues: release.propertyValues.map(({ key, value }) => ({ key, text: writeValue(value) })),
  fileResourceId: release.fileResourceId,
  fileName: release.fileName ?? '',
})

/** The body of the request, without the organization, which does not change. */
export const writeRelease = (values: ReleaseValues) => ({
  displayName: values.displayName.trim(),
  description: values.description.trim() || null,
  startingModels: values.startingModels.map((id) => ({ id })),
  propertyValues: values.propertyValues.map(({ key, text }) => ({ key: key.trim(), value: readValue(text) })),
  fileResourceId: values.fileResourceId,
  fileName: values.fileName.trim() || null,
})

const keyPattern = /^[A-Za-z0-9._-]{1,128}$/

interface Words {
  required: string
  keyRule: string
  keyTwice: string
}

/** @returns problems by path */
export function checkRelease({ displayName, propertyValues }: ReleaseValues, words: Words) {
  const keys = propertyValues.map(({ key }) => key.trim())
  const problems: Record<string, string> = {}
  if (displayName.trim() === '') problems.displayName = words.required
  for (const [index, key] of keys.entries()) {
    if (!keyPattern.test(key)) problems[`propertyValues.${index}.key`] = words.keyRule
    else if (keys.indexOf(key) < index) problems[`propertyValues.${index}.key`] = words.keyTwice
  }
  return problems
}
