import type { Body } from '@gangway/client'
import type { UpdateStatus } from './deployment.ts'

/** A new deployment as it is edited; empty texts are conditions and settings that are not used. */
export interface NewDeployment {
  displayName: string
  organizationId: string
  releaseId: string
  deploymentTemplateId: string
  search: string
  providerId: string
  modelId: string
  nodeId: string
  tag: string
  firmwareReleaseId: string
  deviceIds: string[]
  /** Devices of another deployment. */
  of: { id: string; previousReleaseId: string; statuses: UpdateStatus[] }
  isRollout: boolean
  waves: string
  threshold: number | null
  rollback: boolean
  healthAlarmIds: string[]
  timeoutMinutes: number | null
}

export const emptyDeployment: NewDeployment = {
  displayName: '',
  organizationId: '',
  releaseId: '',
  deploymentTemplateId: '',
  search: '',
  providerId: '',
  modelId: '',
  nodeId: '',
  tag: '',
  firmwareReleaseId: '',
  deviceIds: [],
  of: { id: '', previousReleaseId: '', statuses: [] },
  isRollout: true,
  waves: '5, 25, 100',
  threshold: 10,
  rollback: false,
  healthAlarmIds: [],
  timeoutMinutes: null,
}

type PreviewBody = Body<'post', '/v1/firmware/deployments/preview'>

export const readWaves = (text: string): number[] =>
  text
    .split(/[\s,;%]+/)
    .filter((part) => part !== '')
    .map(Number)

/** Whether the percents ascend to 100. */
export const areWaves = (waves: number[]): boolean =>
  waves.length > 0 &&
  waves.length <= 20 &&
  waves.every((percent, index) => percent > (waves[index - 1] ?? 0)) &&
  waves.at(-1) === 100

const isTag = (tag: string) => /^[^=]+=/.test(tag)
const MAX_MINUTES = 43_200

interface Words {
  wavesRule: string
  percentRule: string
  tagRule: string
  timeoutRule: string
}

/** @returns problems by path; a form with one is not previewed */
export function checkDeployment(values: NewDeployment, words: Words): Record<string, string> {
  const { isRollout, waves, threshold, tag, timeoutMinutes: minutes } = values
  const problems: Record<string, string> = {}
  if (isRollout && !areWaves(readWaves(waves))) problems['rollout.waves'] = words.wavesRule
  if (isRollout && (threshold === null || threshold < 0 || threshold > 100))
    problems['rollout.failureThresholdPercent'] = words.percentRule
  if (tag.trim() !== '' && !isTag(tag.trim())) problems['selection.tag'] = words.tagRule
  if (minutes !== null && (!Number.isInteger(minutes) || minutes < 1 || minutes > MAX_MINUTES))
    problems.timeoutSeconds = words.timeoutRule
  return problems
}

export function writePreview(values: NewDeployment): PreviewBody {
  const { releaseId, deploymentTemplateId, organizationId } = values
  return {
    organizationId,
    releaseId,
    deploymentTemplateId,
    ...(values.isRollout && { rollout: writeRollout(values) }),
    selection: writeSelection(values),
  }
}

export const writeDeployment = (values: NewDeployment, displayName: string, deviceIds: string[]) => ({
  displayName,
  organizationId: values.organizationId,
  releaseId: values.releaseId,
  deploymentTemplateId: values.deploymentTemplateId,
  deviceIds,
  ...(values.isRollout && { rollout: writeRollout(values) }),
  ...(values.timeoutMinutes !== null && { timeoutSeconds: values.timeoutMinutes * 60 }),
})

const writeRollout = ({ waves, threshold, rollback, healthAlarmIds }: NewDeployment) => ({
  waves: readWaves(waves),
  failureThresholdPercent: threshold ?? 0,
  rollback,
  healthAlarmIds,
})

function writeSelection(values: NewDeployment): PreviewBody['selection'] {
  const { deviceIds, of } = values
  const texts = {
    search: values.search.trim(),
    providerId: values.providerId,
    modelId: values.modelId,
    nodeId: values.nodeId,
    tag: values.tag.trim(),
    firmwareReleaseId: values.firmwareReleaseId,
  }
  return {
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')),
    ...(deviceIds.length > 0 && { deviceIds }),
    ...(of.id !== '' && {
      deployment: {
        id: of.id,
        ...(of.previousReleaseId !== '' && { previousReleaseId: of.previousReleaseId }),
        ...(of.statuses.length > 0 && { statuses: of.statuses }),
      },
    }),
  }
}
