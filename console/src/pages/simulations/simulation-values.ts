import type { Body } from '@gangway/client'
import { checkSignal, newSignal, type SignalValues, writeSignal } from './signal-values.ts'

/** A simulation as it is made; '' and null are left out. */
export interface SimulationValues {
  displayName: string
  description: string
  organizationId: string
  providerId: string
  count: number | null
  intervalSeconds: number | null
  deviceIdPrefix: string
  modelId: string
  signals: SignalValues[]
  isUpdating: boolean
  deploymentTemplateId: string
  durationSeconds: number | null
  failurePercent: number | null
  offlinePercent: number | null
  offlineSeconds: number | null
}

export const newSimulation: SimulationValues = {
  displayName: '',
  description: '',
  organizationId: '',
  providerId: '',
  count: 10,
  intervalSeconds: 5,
  deviceIdPrefix: '',
  modelId: '',
  signals: [{ ...newSignal, name: 'temperature' }],
  isUpdating: false,
  deploymentTemplateId: '',
  durationSeconds: 10,
  failurePercent: 0,
  offlinePercent: 0,
  offlineSeconds: 600,
}

const prefixPattern = /^[A-Za-z0-9._-]{0,100}$/
const MAX_DEVICES = 1000
const MAX_SECONDS = 86_400

interface Words {
  required: string
  needed: string
  countRule: string
  intervalRule: string
  prefixRule: string
}

const isBetween = (value: number | null, min: number, max: number) =>
  value !== null && value >= min && value <= max

/** @returns problems by path */
export function checkSimulation(values: SimulationValues, words: Words): Record<string, string> {
  const problems: Record<string, string> = {}
  if (values.displayName.trim() === '') problems.displayName = words.required
  if (!isBetween(values.count, 1, MAX_DEVICES)) problems.count = words.countRule
  if (!isBetween(values.intervalSeconds, 1, MAX_SECONDS)) problems.intervalSeconds = words.intervalRule
  if (!prefixPattern.test(values.deviceIdPrefix.trim())) problems.deviceIdPrefix = words.prefixRule
  if (values.isUpdating && values.deploymentTemplateId === '')
    problems['firmware.deploymentTemplateId'] = words.required
  for (const [index, signal] of values.signals.entries())
    for (const [field, problem] of Object.entries(checkSignal(signal, words)))
      problems[`signals.${index}.${field}`] = problem
  return problems
}

export function writeSimulation(values: SimulationValues): Body<'post', '/v1/simulations'> {
  const { modelId, deviceIdPrefix, description } = values
  return {
    displayName: values.displayName.trim(),
    ...(description.trim() !== '' && { description: description.trim() }),
    organizationId: values.organizationId,
    providerId: values.providerId,
    count: values.count ?? 0,
    intervalSeconds: values.intervalSeconds ?? 0,
    ...(deviceIdPrefix.trim() !== '' && { deviceIdPrefix: deviceIdPrefix.trim() }),
    ...(modelId !== '' && { modelId }),
    signals: values.signals.map(writeSignal),
    ...(values.isUpdating && {
      firmware: {
        deploymentTemplateId: values.deploymentTemplateId,
        ...withoutNull({
          durationSeconds: values.durationSeconds,
          failurePercent: values.failurePercent,
          offlinePercent: values.offlinePercent,
          offlineSeconds: values.offlineSeconds,
        }),
      },
    }),
  }
}

const withoutNull = (numbers: Record<string, number | null>): Record<string, number> =>
  Object.fromEntries(Object.entries(numbers).filter((entry): entry is [string, number] => entry[1] !== null))
