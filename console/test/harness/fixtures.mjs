// What the pages show in tests and screenshots, made over the public API.

/** Names that may come from a device or a person, and must stay text. */
export const hostileNames = [
  '<img src=x onerror=alert(1)>',
  'left \u202Etfel',
  `${'long '.repeat(50)}name`,
  '👩‍🔧 Pumpe №7 — Ωμέγα',
  'no\u0000break'.replace('\u0000', '\u00A0'),
]

export async function makeApi(url, { email, password }) {
  const call = async (method, path, body, token) => {
    const isJson = body !== undefined && !(body instanceof FormData)
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(isJson && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
      },
      body: isJson ? JSON.stringify(body) : body,
    })
    const text = await response.text()
    const { ok, status } = response
    if (!ok) throw Object.assign(new Error(`${method} ${path} answered ${status}: ${text}`), { status })
    return text === '' ? undefined : JSON.parse(text)
  }
  const { accessToken } = await call('POST', '/v1/auth/login', { username: email, password })
  return (method, path, body) => call(method, path, body, accessToken)
}

/** A provider whose devices send by HTTP, some with hostile names, each with values. */
export async function makeDevices(api, { count = 60 } = {}) {
  const [{ id: organizationId }] = await api('GET', '/v1/organizations')
  await api('PUT', '/v1/providers/plant', { type: 'import', displayName: 'Plant', organizationId })
  for (const [index, displayName] of hostileNames.entries())
    await api('POST', '/v1/providers/plant/clients', { id: `hostile-${index}`, displayName })
  for (let index = 0; index < count; index++)
    await api('POST', '/v1/providers/plant/clients', {
      id: `pump-${String(index).padStart(4, '0')}`,
      displayName: `Pump ${index} · Hall ${1 + (index % 4)}`,
    })
  await sendValues(api, 'pump-0000', { temperature: 71.3, pressure: 2.1, running: true, mode: 'automatic' })
  return { providerId: 'plant' }
}

export const sendValues = (api, clientId, values) =>
  api('POST', `/v1/providers/plant/clients/${clientId}/telemetry`, values)

const firmwareTemplate = {
  displayName: 'By channel',
  steps: [{ name: 'firmware', type: 'SetProperty', value: { channel: '{{channel}}' } }],
  status: {
    statusType: 'ReportedProperty',
    statusPropertyName: 'firmwareStatus',
    statusMap: {
      successStatuses: [{ value: 'Installed' }],
      failureStatuses: [{ value: 'Failed' }],
      rejectStatuses: [],
      cancelStatuses: [],
    },
  },
}

/**
 * Deploys two releases to a device of the provider `plant`: it has installed the first one, and the second one is
 * pending.
 */
export async function deployTwice(api, clientId) {
  const [{ id: organizationId }] = await api('GET', '/v1/organizations')
  const { templateId } = await api('POST', '/v1/firmware/deployment-templates', {
    ...firmwareTemplate,
    organizationId,
  })
  const at = `/v1/providers/plant/clients/${clientId}`
  for (const [displayName, status] of [
    ['1.0', 'Installed'],
    ['2.0', 'Downloading'],
  ]) {
    const release = { displayName, organizationId, propertyValues: [{ key: 'channel', value: displayName }] }
    const { id: releaseId } = await api('POST', '/v1/firmware/releases', release)
    await api('POST', '/v1/firmware/deployments', {
      displayName: `To ${displayName}`,
      organizationId,
      releaseId,
      deploymentTemplateId: templateId,
      deviceIds: [clientId],
    })
    await until(async () => (await api('GET', `${at}/firmware-update`)).status === 'Running')
    await api('POST', `${at}/reported`, { firmwareStatus: status })
  }
}

export async function until(isTrue) {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 100))
}
