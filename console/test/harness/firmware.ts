/** Firmware for tests of the console: releases, a template, deployments, made over the public API. */
import type { Page } from 'playwright-core'
import type { TestConsole } from './console.ts'

const list = (...values: string[]) => values.map((value) => ({ value }))

export async function findOrganization({ api }: TestConsole): Promise<string> {
  const [{ id }] = await api('GET', '/v1/organizations')
  return id
}

export async function makeFirmwareTemplate(world: TestConsole, displayName: string): Promise<string> {
  const { templateId } = await world.api('POST', '/v1/firmware/deployment-templates', {
    displayName,
    version: '1',
    organizationId: await findOrganization(world),
    steps: [
      { name: 'download', displayName: 'Download', type: 'SetProperty', value: '{{releaseName}}' },
      { name: 'firmware', type: 'SetProperty', value: { version: '{{releaseName}}' } },
    ],
    status: {
      statusType: 'ReportedProperty',
      statusPropertyName: 'firmwareStatus',
      statusMap: {
        successStatuses: list('Installed'),
        failureStatuses: list('Failed'),
        rejectStatuses: [],
        cancelStatuses: [],
      },
    },
  })
  return templateId
}

export async function makeFirmwareRelease(world: TestConsole, displayName: string): Promise<string> {
  const organizationId = await findOrganization(world)
  const propertyValues = [
    { key: 'channel', value: 'stable' },
    { key: 'build', value: 7 },
  ]
  const body = { displayName, organizationId, propertyValues }
  return (await world.api('POST', '/v1/firmware/releases', body)).id
}

interface Parts {
  displayName: string
  releaseId: string
  deploymentTemplateId: string
  deviceIds: string[]
  rollout?: object
}

export async function deployFirmware(world: TestConsole, parts: Parts): Promise<string> {
  const organizationId = await findOrganization(world)
  return (await world.api('POST', '/v1/firmware/deployments', { ...parts, organizationId })).id
}

/** Chooses an option of a field that the server searches. */
export async function pickOne(page: Page, field: string, option: string) {
  await page.getByRole('combobox', { name: field, exact: true }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

/** Types the name that a dialog asks for, and confirms. */
export async function confirmByName(page: Page, name: string, action: string) {
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill(name)
  await dialog.getByRole('button', { name: action, exact: true }).click()
}
