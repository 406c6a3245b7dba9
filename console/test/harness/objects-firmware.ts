/** A release, a deployment template, and a deployment to a device that never reports. */
import type { Api } from './fixtures.mjs'

const values = (...names: string[]) => names.map((value) => ({ value }))

export async function makeFirmware(
  api: Api,
  named: (type: string) => { displayName: string; organizationId: string },
  deviceId: string,
) {
  const { id: releaseId } = await api('POST', '/v1/firmware/releases', named('Release'))
  const { templateId } = await api('POST', '/v1/firmware/deployment-templates', {
    ...named('Template'),
    steps: [{ name: 'firmware', type: 'SetProperty', value: { version: '{{releaseName}}' } }],
    status: {
      statusType: 'ReportedProperty',
      statusPropertyName: 'firmwareStatus',
      statusMap: {
        successStatuses: values('Installed'),
        failureStatuses: values('Failed'),
        rejectStatuses: [],
        cancelStatuses: [],
      },
    },
  })
  const { id: deploymentId } = await api('POST', '/v1/firmware/deployments', {
    ...named('Deployment'),
    releaseId,
    deploymentTemplateId: templateId,
    deviceIds: [deviceId],
  })
  return { releaseId, templateId, deploymentId } as Record<
    'releaseId' | 'templateId' | 'deploymentId',
    string
  >
}
