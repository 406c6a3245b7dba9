import { status, step } from '../../harness/firmware.ts'
import { type Ids, list, object, seen, type Row } from './row.ts'

export function firmwareRows(ids: Ids, here: object): Record<string, Row> {
  const [release, template] = [
    { releaseId: ids.firmwareRelease! },
    { deploymentTemplateId: ids.deploymentTemplate! },
  ]
  const deployment = { deploymentId: ids.deployment! }
  const client = { providerId: 'mqtt', clientId: ids.client! }
  const form = () => {
    const body = new FormData()
    body.append('organizationId', ids.organization!)
    body.append('file', new Blob(['firmware']), 'a.bin')
    return body
  }
  const plan = { releaseId: ids.firmwareRelease, deploymentTemplateId: ids.deploymentTemplate }
  return {
    'POST /v1/firmware/files': object(201, { body: form }),
    'POST /v1/firmware/releases': object(201, { body: here }),
    'GET /v1/firmware/releases': list(),
    'GET /v1/firmware/releases/{releaseId}': seen(200, { at: release }),
    'PUT /v1/firmware/releases/{releaseId}': object(200, { at: release, body: { displayName: 'Renamed' } }),
    'POST /v1/firmware/deployment-templates': object(201, { body: { ...here, steps: [step], status } }),
    'GET /v1/firmware/deployment-templates': list(),
    'GET /v1/firmware/deployment-templates/{deploymentTemplateId}': seen(200, { at: template }),
    'POST /v1/firmware/deployments': object(201, { body: { ...here, ...plan, deviceIds: [ids.client] } }),
    'POST /v1/firmware/deployments/preview': object(200, {
      body: { organizationId: ids.organization, ...plan, selection: { deviceIds: [ids.client] } },
    }),
    'GET /v1/firmware/deployments': list(),
    'GET /v1/firmware/deployments/{deploymentId}': seen(200, { at: deployment }),
    'GET /v1/firmware/deployments/{deploymentId}/updates': seen(200, { at: deployment }),
    'GET /v1/firmware/deployments/{deploymentId}/previous-releases': seen(200, { at: deployment }),
    'POST /v1/firmware/deployments/{deploymentId}/pause': object(200, { at: deployment }),
    'POST /v1/firmware/deployments/{deploymentId}/resume': object(200, { at: deployment }),
    'POST /v1/firmware/deployments/{deploymentId}/cancel': object(202, { at: deployment }),
    // No job runs here, so that it has not ended.
    'DELETE /v1/firmware/deployments/{deploymentId}': object(409, { at: deployment }),
    'GET /v1/provider-client/firmware-update/status': seen(200, {
      at: { query: `providerClientId=${ids.client}` },
    }),
    'GET /v1/providers/{providerId}/clients/{clientId}/firmware-update': seen(200, { at: client }),
    'GET /v1/providers/{providerId}/clients/{clientId}/firmware-updates': seen(200, { at: client }),
    'POST /v1/provider-client/firmware-update/cancel': object(200, {
      body: { providerClientId: ids.client },
    }),
    'DELETE /v1/provider-client/firmware-update/{id}': object(204, { at: { id: ids.firmwareUpdate! } }),
    'DELETE /v1/firmware/releases/{releaseId}': object(204, { at: release }),
    'DELETE /v1/firmware/deployment-templates/{deploymentTemplateId}': object(204, { at: template }),
  }
}
