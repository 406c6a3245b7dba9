// The pages whose screenshots are in the guide, one entry each.

const pumpModel = encodeURIComponent('dtmi:com:example:Pump;1')

/** `light` and `dark` are 1280 wide, `phone` is 390. */
export const pictures = [
  { name: 'home', path: '/', looks: ['light', 'dark', 'phone'] },
  { name: 'devices', path: '/devices', looks: ['light', 'dark', 'phone'] },
  { name: 'device', path: '/devices/mqtt/pump-1', looks: ['light', 'dark', 'phone'] },
  { name: 'twin', path: '/devices/mqtt/pump-1?tab=twin', looks: ['light'] },
  { name: 'dead-letter', path: '/devices/mqtt/pump-1?tab=messages', looks: ['light'], prepare: openFirstRow },
  { name: 'firmware', path: '/devices/plant/meter-1?tab=firmware', looks: ['light'] },
  {
    name: 'explore',
    path: '/explore?signals=meter-1/-/telemetry/power,meter-2/-/telemetry/power,meter-1/-/telemetry/voltage&range=6h',
    looks: ['light', 'dark', 'phone'],
  },
  {
    name: 'first-device',
    path: '/onboarding/first-device',
    looks: ['light', 'phone'],
    prepare: prepareDevice,
  },
  { name: 'onboarding', path: '/onboarding', looks: ['light'] },
  {
    name: 'template',
    path: '/onboarding/groups',
    looks: ['light'],
    prepare: openGroup,
  },
  {
    name: 'keys',
    path: '/onboarding/groups',
    looks: ['light'],
    prepare: (page, url) => openGroup(page, url, 'Keys'),
  },
  { name: 'onboarding-devices', path: '/onboarding/groups', looks: ['light'], prepare: openGroupDevices },
  { name: 'assets', path: '/assets', looks: ['light'], prepare: openHall },
  { name: 'asset', path: '/assets/feed-1', looks: ['light', 'dark', 'phone'] },
  { name: 'models', path: `/models/${pumpModel}`, looks: ['light'] },
  { name: 'model-editor', path: `/models/${pumpModel}/edit`, looks: ['light'] },
  { name: 'bindings', path: '/assets/feed-1/bindings', looks: ['light'] },
  {
    name: 'binding',
    path: '/assets/feed-1/bindings/-/telemetry/pressure',
    looks: ['light'],
    prepare: untilPreviewed,
  },
  { name: 'trace', path: '/onboarding/trace', looks: ['light'], prepare: openFirstRow },
]

async function openFirstRow(page) {
  await page.getByRole('row').nth(1).click()
  await page.getByRole('dialog').waitFor()
}

/** Opens the group of the fleet at a tab. */
async function openGroup(page, _url, tab = 'Template') {
  await page.getByRole('row', { name: /Pumps of 2026/ }).click()
  await page.getByRole('tab', { name: tab }).click()
}

/** Opens the devices of the fleet's group. */
async function openGroupDevices(page) {
  await page.getByRole('row', { name: /Pumps of 2026/ }).click()
  await page.getByRole('link', { name: '4 devices' }).click()
  await page.getByRole('row', { name: /pump-2026-001/ }).waitFor()
}

/** Opens the tree down to a hall. */
async function openHall(page) {
  const tree = page.getByRole('tree')
  if (!(await tree.isVisible())) return
  await tree.focus()
  for (const key of ['ArrowDown', 'ArrowRight']) await page.keyboard.press(key)
  await page.getByRole('treeitem', { name: 'Hall 1' }).click()
  await page.getByText('3 in all').waitFor()
}

function untilPreviewed(page) {
  return page.getByText('Would be stored').waitFor()
}

/** Opens the guide to the first device up to the code, with two attempts in the doctor. */
async function prepareDevice(page, url) {
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
}
