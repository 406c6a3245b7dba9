/** Pages behind the link of a message, without scripts and without external resources. */
import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { AlarmState, Tables } from '../../database/tables.ts'
import { type Answer, answer } from '../../http/route.ts'
import { escapeHtml } from '../html.ts'

const style = `body { font: 1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 3rem auto; padding: 0 1rem; color: #1b1f24; background: #fff; }
dt { color: #57606a; } dd { margin: 0 0 .75rem; }
button { font: inherit; padding: .6rem 1.4rem; border: 0; border-radius: .4rem; color: #fff; background: #0b5cad; }`

const styleHash = createHash('sha256').update(style).digest('base64')

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  // The URL contains the token: it must not be cached, or sent elsewhere as a referrer.
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
}

const page = (status: number, title: string, content: string): Answer =>
  answer(
    status,
    `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style>${style}</style></head>
<body><h1>${escapeHtml(title)}</h1>
${content}
</body></html>
`,
    headers,
  )

type Status = Selectable<Tables['alarm_statuses']>

const stateTexts: Record<AlarmState, string> = {
  active_unacknowledged: 'active, not acknowledged',
  active_acknowledged: 'active, acknowledged',
  inactive_unacknowledged: 'no longer active, not acknowledged',
  cleared: 'cleared',
}

function renderDetails(status: Status) {
  const details = {
    Alarm: status.alarm_name,
    Asset: status.asset_name,
    Severity: String(status.severity),
    Since: status.activated_at.toISOString(),
    State: stateTexts[status.state],
    ...(status.acknowledged_at && { Acknowledged: status.acknowledged_at.toISOString() }),
  }
  const rows = Object.entries(details).map(([name, text]) => `<dt>${name}</dt><dd>${escapeHtml(text)}</dd>`)
  return `<dl>${rows.join('\n')}</dl>`
}

/** Only the button acknowledges: mail scanners follow links, but press no buttons. */
export const askPage = (status: Status): Answer =>
  status.acknowledged_at
    ? donePage(status)
    : page(
        200,
        'Acknowledge this alarm?',
        `${renderDetails(status)}\n<form method="post"><button type="submit">Acknowledge</button></form>`,
      )

export const donePage = (status: Status): Answer =>
  page(200, 'This alarm is acknowledged', renderDetails(status))

export const unknownPage = (): Answer =>
  page(
    404,
    'This link does not work',
    '<p>It is incomplete or was changed. Open it again from the message that it came in.</p>',
  )

export const expiredPage = (): Answer =>
  page(
    410,
    'This link has expired',
    '<p>Links to acknowledge work for 7 days. Sign in to acknowledge the alarm.</p>',
  )

export const forbiddenPage = (): Answer =>
  page(
    403,
    'You may no longer acknowledge this alarm',
    '<p>Your account was closed, or has no access to the alarm and its asset any longer. Ask your administrator.</p>',
  )
