// What is done on a page before its screenshot is taken: `(page, {url, ids, look}) => …`.
import { renameOnCall } from './picture-sites.mjs'

export async function openFirstRow(page) {
  await page.getByRole('row').nth(1).click()
  await page.getByRole('dialog').waitFor()
}

/** Opens the attempt that was refused for its key. */
export async function openRefused(page) {
  await page
    .getByRole('row', { name: /Wrong key/ })
    .first()
    .click()
  await page.getByRole('dialog').waitFor()
}

/** Opens the object of a list whose row has a text. */
export const openRow = (name) => async (page) => {
  await page.getByRole('row', { name }).first().click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
}

/** Opens the object of a list at a tab. */
export const openRowAt = (name, tab) => async (page) => {
  await openRow(name)(page)
  await page.getByRole('tab', { name: tab }).click()
}

/** Opens the group of the fleet at a tab. */
export const openGroup = (tab) => async (page) => {
  await page.getByRole('row', { name: /Pumps of 2026/ }).click()
  await page.getByRole('tab', { name: tab }).click()
}

/** Opens the devices of the fleet's group. */
export async function openGroupDevices(page) {
  await page.getByRole('row', { name: /Pumps of 2026/ }).click()
  await page.getByRole('link', { name: /^\d+ devices$/ }).click()
  await page.getByRole('row', { name: /pump-2026-001/ }).waitFor()
}

/** Opens the tree down to a hall; a phone shows the list alone. */
export async function openHall(page) {
  const tree = page.getByRole('tree')
  if (!(await tree.isVisible())) return
  await tree.focus()
  for (const key of ['ArrowDown', 'ArrowRight']) await page.keyboard.press(key)
  await page.getByRole('treeitem', { name: 'Hall 1' }).click()
  await page.getByText('3 in all').waitFor()
}

export function untilPreviewed(page) {
  return page.getByText('Would be stored').waitFor()
}

/** Opens the guide to the first device up to the code, with two attempts in the doctor. */
export async function prepareDevice(page, { url }) {
  if (
    await page
      .getByLabel('Host of the broker')
      .or(page.getByRole('button', { name: 'Continue' }))
      .first()
      .isVisible()
  )
    await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Prepare the device' }).click()
  await page.getByRole('tab', { name: 'curl and MQTT' }).waitFor()
  const id = new URL(page.url()).searchParams.get('device')
  const ask = (key) =>
    fetch(`${url}/get_settings`, { headers: { authorization: `Basic ${btoa(`${id}:${key}`)}` } })
  await ask(btoa('0'.repeat(32)))
  const command = await page.locator('pre').first().textContent()
  await ask(/-u '[^:]+:([^']+)'/.exec(command)[1])
  await page.getByRole('region', { name: 'Doctor, live' }).getByText('served').first().waitFor()
  await page.locator('pre').evaluateAll(hideSecrets)
}

/** Replaces keys and the address of this server, which differ each time. It runs in the page. */
function hideSecrets(blocks) {
  for (const block of blocks)
    for (const element of [block, ...block.querySelectorAll('*')])
      for (const node of element.childNodes)
        if (node.nodeType === Node.TEXT_NODE)
          node.data = node.data
            .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'https://iot.example.com')
            .replaceAll(/[A-Za-z0-9+/]{43}=/g, `${'3kPq7Zt'.repeat(6)}A=`)
}

/** Presses a button, and waits for the dialog that it opens. */
export const press = (name) => async (page) => {
  await page.getByRole('button', { name, exact: true }).first().click()
  await page.getByRole('dialog').waitFor()
}

/** Shows which bindings would move to a new device. */
export async function replaceDevice(page) {
  await press('Replace device')(page)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'New device' }).fill('pump-3')
  await page
    .getByRole('option', { name: /Circulation pump/ })
    .first()
    .click()
  await page.waitForLoadState('networkidle')
}

/** Types another limit, so that the backtest compares the draft with the saved rule. */
export async function changeLimit(page) {
  const condition = page.getByRole('region', { name: 'Active when' })
  await condition.getByRole('textbox', { name: 'Value' }).fill('72')
  const backtest = page.getByRole('region', { name: 'Backtest' })
  await backtest.getByRole('row', { name: /^Activations/ }).waitFor()
  await page.waitForLoadState('networkidle')
}

/** Chooses release, template and devices of a new deployment. */
export async function chooseDeployment(page) {
  const pick = async (field, option) => {
    await page.getByRole('combobox', { name: field, exact: true }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }
  await pick('Release', '2.1.1')
  await pick('Template', 'By URL')
  await page.getByRole('textbox', { name: 'Name or id contains' }).fill('valve-')
  await page.getByRole('button', { name: '16 devices are chosen' }).waitFor()
}

/** Opens what the failing device of a deployment has reported. */
export async function openFailing(page) {
  await page.getByRole('grid').getByRole('row').nth(1).click()
  await page.getByRole('dialog', { name: 'Update' }).waitFor()
}

/** Opens the dialog that acknowledges the newest alarm. */
export async function acknowledge(page) {
  await openRow(/Pump too hot/)(page)
  await press('Acknowledge')(page)
}

/** Fills in an issuer, without saving it. */
export async function fillIssuer(page) {
  await page.getByRole('textbox', { name: 'Issuer' }).fill('https://login.example.com/works')
  await page.getByRole('textbox', { name: 'Audience' }).fill('gangway')
  await page.getByRole('textbox', { name: 'Client id' }).fill('gangway-console')
}

/** Measures what a shorter retention would delete. */
export async function measureRetention(page) {
  const keepsAll = page.getByRole('checkbox', { name: 'Keep everything' })
  if (await keepsAll.isChecked()) await keepsAll.uncheck()
  await page.getByRole('textbox', { name: 'Days to keep' }).fill('30')
  await page.getByRole('button', { name: 'Show what it would delete' }).click()
  await page.getByText(/^It deletes/).waitFor()
}

/** Opens the menu of what is done seldom with a dashboard. */
export async function openMenu(page) {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Share' }).waitFor()
}

/** Opens a dialog of that menu. */
export const openFromMenu = (name) => async (page) => {
  await openMenu(page)
  await page.getByRole('menuitem', { name }).click()
  await page.getByRole('dialog', { name }).waitFor()
}

/** Shows what the newest version of a dashboard has changed. */
export async function openVersions(page) {
  await openFromMenu('Version history')(page)
  await page.getByRole('button', { name: 'What version 2 changed' }).click()
  await page.getByRole('list', { name: 'What version 2 changed' }).waitFor()
}

/** Changes a text that Mara changes, too. */
export async function saveTogether(page, { url, ids }) {
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Tonight: **nobody**')
  await renameOnCall(url, ids.sites)
  await page.getByRole('button', { name: 'Save dashboard' }).click()
  await page.getByText(/^Somebody saved version \d+, with other changes/).waitFor()
}

/** Opens the link of a screen. */
export async function openOnScreen(page, { url, ids }) {
  await page.goto(`${url}/console/kiosk/${ids.fleet}?range=1h#token=${ids.screenToken}`)
  await page.getByText('Feed pump 1').first().waitFor()
}

/** Fills in with whom a dashboard is shared. */
export async function shareWithTom(page) {
  await press('Give access')(page)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'To whom' }).fill('Tom')
  await page.getByRole('option', { name: /Tom Brandt/ }).click()
}

/** Opens why a message did not leave. */
export async function openNotSent(page) {
  await openRowAt(/Hot pumps/, 'Messages')(page)
  await page
    .getByRole('row', { name: /Not sent/ })
    .first()
    .getByRole('button', { name: 'Why?' })
    .click()
  await page.getByRole('dialog').getByText('http://').waitFor()
  await page.getByRole('dialog').evaluateAll(hideSecrets)
}

/** Takes a privilege from an organization, without saving it. */
export async function uncheckPrivilege(page) {
  await page.getByRole('checkbox', { name: 'Manage rules of alarms' }).uncheck()
  await page.getByText(/^These relations would no longer give the privilege/).waitFor()
}

/** Opens what the newest change of the log has changed. */
export async function openChange(page) {
  await page
    .getByRole('row', { name: /update/ })
    .first()
    .getByRole('button', { name: /^Changes/ })
    .click()
  await page.getByRole('dialog').waitFor()
}
