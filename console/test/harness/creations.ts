/** Creates one object of each type in the console, with the required fields alone. */
import type { Page } from 'playwright-core'
import { typeInEditor } from './editor.ts'
import { confirmByName, pickOne } from './firmware.ts'

export interface Creation {
  list: string
  /** The button on the list. */
  button: string
  /** The button of the form; absent if it is called the same. */
  save?: string
  /** Where the API lists what was created. */
  route: string
  /** Fills in the form of a thing with this name. */
  fill: (page: Page, name: string) => Promise<void>
}

const fillName = (page: Page, name: string) =>
  page.getByRole('textbox', { name: 'Name', exact: true }).first().fill(name)

const idOf = (name: string) => name.toLowerCase().replaceAll(/\W+/g, '-')

export const sharedModel = 'Shared pump'

/** In an order in which the later ones find what they need. */
export const creationForms: Creation[] = [
  {
    list: '/rules',
    button: 'Create rule',
    save: 'Save rule',
    route: '/v1/alarms',
    fill: async (page, name) => {
      await fillName(page, name)
      await pickOne(page, 'Model', sharedModel)
    },
  },
  {
    list: '/devices',
    button: 'Create device',
    route: '/v1/provider-clients',
    fill: async (page, name) => {
      await page.getByRole('textbox', { name: 'Id', exact: true }).fill(idOf(name))
      await fillName(page, name)
    },
  },
  {
    list: '/models',
    button: 'Create model',
    route: '/v1/models',
    fill: async (page, name) => {
      await fillName(page, name)
      await typeInEditor(
        page,
        'Definition',
        JSON.stringify({
          '@context': 'dtmi:dtdl:context;3',
          '@id': `dtmi:com:example:${name.replaceAll(/\W+/g, '')};1`,
          '@type': 'Interface',
        }),
      )
    },
  },
  {
    list: '/assets',
    button: 'Create asset',
    route: '/v1/assets',
    fill: async (page, name) => {
      await fillName(page, name)
      await pickOne(page, 'Model', sharedModel)
    },
  },
  { list: '/assets', button: 'Create node', route: '/v1/tree/nodes', fill: fillName },
  { list: '/notifications', button: 'Create notification', route: '/v1/notifications', fill: fillName },
  { list: '/contact-groups', button: 'Create contact group', route: '/v1/contactgroups', fill: fillName },
  { list: '/dashboards', button: 'Create dashboard', route: '/v1/dashboards', fill: fillName },
  { list: '/files', button: 'Create document', route: '/v1/resources', fill: fillName },
  { list: '/files', button: 'Create theme', route: '/v1/resources', fill: fillName },
  {
    list: '/files',
    button: 'Upload files',
    save: 'Upload 1 file',
    route: '/v1/resources',
    fill: async (page, name) => {
      const file = { name, mimeType: 'text/plain', buffer: Buffer.from('one') }
      await page.getByRole('dialog').locator('input[type=file]').setInputFiles(file)
    },
  },
  {
    list: '/simulations',
    button: 'Create simulation',
    route: '/v1/simulations',
    fill: async (page, name) => {
      await fillName(page, name)
      await page.getByRole('textbox', { name: 'Beginning of the device ids' }).fill(`${idOf(name)}-`)
    },
  },
  { list: '/firmware/releases', button: 'Create release', route: '/v1/firmware/releases', fill: fillName },
  {
    list: '/firmware/templates',
    button: 'Create template',
    route: '/v1/firmware/deployment-templates',
    fill: async (page, name) => {
      await fillName(page, name)
      await page.getByRole('textbox', { name: 'Value, as JSON' }).fill('{"version": "{{releaseName}}"}')
    },
  },
  {
    list: '/firmware',
    button: 'New deployment',
    save: 'Deploy release',
    route: '/v1/firmware/deployments',
    fill: async (page, name) => {
      await pickOne(page, 'Release', name)
      await pickOne(page, 'Template', name)
      await fillName(page, name)
      await page.getByRole('textbox', { name: 'Name or id contains' }).fill(idOf(name))
      await page.getByRole('button', { name: '1 device is chosen' }).waitFor()
    },
  },
]

/** Fills in the form and sends it. */
export async function createBy(page: Page, { button, save = button, fill }: Creation, name: string) {
  await page.getByRole('button', { name: button, exact: true }).first().click()
  await fill(page, name)
  // The button of a dialog comes after that of the page below it.
  await page.getByRole('button', { name: save, exact: true }).last().click()
  if (save === 'Deploy release') await confirmByName(page, name, save)
}
