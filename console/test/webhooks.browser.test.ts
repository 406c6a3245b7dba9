import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { openAsViewer } from './harness/editor.ts'
import { startWebhookReceiver, type WebhookReceiver } from './harness/webhook-receiver.ts'

describe.skipIf(!hasBrowser())('webhooks', () => {
  let world: TestConsole
  let receiver: WebhookReceiver
  beforeAll(async () => {
    receiver = await startWebhookReceiver()
    world = await startConsole({ GANGWAY_OUTBOUND_ALLOW: 'loopback' })
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
    await receiver?.[Symbol.asyncDispose]()
  })

  async function deleteDevice(id: string) {
    await world.api('POST', '/v1/providers/mqtt/clients', { id, displayName: id })
    await world.api('DELETE', `/v1/providers/mqtt/clients/${id}`)
  }

  test('a receiver fails: the deliveries wait with the reason; it recovers, and they arrive', async () => {
    await using guarded = await world.openSignedIn('/settings')
    const { page } = guarded
    await page.getByRole('link', { name: 'Webhooks' }).click()
    await page.getByRole('heading', { name: 'No webhooks for this provider' }).waitFor()
    await page.getByRole('button', { name: 'Create webhook' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Address' }).fill('ftp://example.com')
    await dialog.getByRole('button', { name: 'Create webhook' }).click()
    await dialog.getByText('An address begins with http:// or https://.').waitFor()
    await dialog.getByRole('textbox', { name: 'Address' }).fill(receiver.url.replace('//', '//user:pass@'))
    await dialog.getByLabel('Secret').first().fill('a shared secret')
    await dialog.getByRole('button', { name: 'Create webhook' }).click()
    await dialog.getByText('must not contain a user name or password').waitFor()
    await dialog.getByRole('textbox', { name: 'Address' }).fill(receiver.url)
    await dialog.getByRole('button', { name: 'Create webhook' }).click()
    await page.getByRole('heading', { level: 1, name: receiver.url }).waitFor()
    await page.getByRole('heading', { name: 'Everything is accepted' }).waitFor()

    receiver.status = 503
    for (const id of ['gone-1', 'gone-2', 'gone-3']) await deleteDevice(id)
    await page.getByRole('row', { name: /gone-1/ }).waitFor()
    await page.getByText('Paused', { exact: true }).waitFor()
    await page.getByText(/Its deliveries wait until/).waitFor()
    await expect
      .poll(async () => {
        const deliveries = await world.api('GET', await deliveriesPath())
        return deliveries.filter(({ lastError }: { lastError: string | null }) => lastError !== null).length
      })
      .toBeGreaterThan(0)
    const [tried] = (await world.api('GET', await deliveriesPath())).filter(
      ({ lastError }: { lastError: string | null }) => lastError !== null,
    )
    await page.getByRole('button', { name: 'Refresh' }).click()
    const row = page.getByRole('row', { name: new RegExp(tried.deviceId) })
    await row.getByRole('button', { name: 'Why?' }).click()
    await dialog.getByText(`answered 503 to event ${tried.id}`).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })

    await guarded.open('/system')
    await page.getByText(/1 receiver does not answer/).waitFor()
    await page
      .getByRole('region', { name: 'Jobs' })
      .getByRole('row', { name: /deliver-provider-event/ })
      .waitFor()

    await guarded.open('/settings/webhooks?provider=mqtt')
    await page.getByRole('row', { name: receiver.url }).getByText('Paused').waitFor()
    await page.getByTitle(receiver.url, { exact: true }).click()

    receiver.status = 204
    await row.getByRole('button', { name: 'Why?' }).click()
    await dialog.getByRole('button', { name: 'Send now' }).click()
    await dialog.waitFor({ state: 'detached' })
    // The first answer ends the pause, and the others follow.
    await page.getByRole('heading', { name: 'Everything is accepted' }).waitFor()
    await page.getByText('Answers', { exact: true }).waitFor()
    expect(receiver.accepted.map(({ device_id }) => device_id).toSorted()).toEqual([
      'gone-1',
      'gone-2',
      'gone-3',
    ])
    expect(receiver.refused).toBeGreaterThan(0)

    await page.getByRole('button', { name: 'Delete webhook' }).click()
    await dialog.getByRole('textbox').fill(receiver.url)
    await dialog.getByRole('button', { name: 'Delete webhook' }).click()
    await page.getByRole('heading', { name: 'No webhooks for this provider' }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a viewer is told why there is nothing to see', async () => {
    await using guarded = await openAsViewer(world, '/settings/webhooks?provider=mqtt')
    await guarded.page.getByRole('heading', { name: 'You may not see this' }).waitFor()
    await guarded.page.getByText('forbidden', { exact: true }).waitFor()
    await expect
      .poll(() => guarded.page.getByRole('button', { name: 'Create webhook' }).isDisabled())
      .toBe(true)
    expect(guarded.problems).toEqual([])
  })

  async function deliveriesPath() {
    const [{ id }] = await world.api('GET', '/v1/providers/mqtt/webhooks')
    return `/v1/providers/mqtt/webhooks/${id}/deliveries`
  }
})
