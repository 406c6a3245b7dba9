import type { Schemas } from '@gangway/client'

export type Attempt = Schemas['OnboardingAttempt']

/** Progress of a device, in order. A later success settles earlier faults of the same and of previous stages. */
export const stages = ['network', 'registration', 'settings', 'connection', 'message', 'value'] as const
export type Stage = (typeof stages)[number]

/** The cure of a finding: a button, a text to copy, or a page to open. */
export type Cure =
  | 'copy-key'
  | 'copy-settings-command'
  | 'copy-topic'
  | 'copy-payload'
  | 'copy-id'
  | 'copy-tls-address'
  | 'copy-plain-address'
  | 'get-ca'
  | 'enable-group'
  | 'enable-client'
  | 'register'
  | 'provision'
  | 'see-readiness'
  | 'see-group'
  | 'see-certificates'
  | 'see-enrolment'

/** An event of a device with its interpretation. */
export interface Finding {
  key: string
  /** Milliseconds since 1970. */
  at: number
  /** It is not known when the event took place, so that it settles nothing. */
  hasUnknownTime?: boolean
  state: 'good' | 'bad' | 'info'
  stage: Stage
  /** The key of the event's translation. */
  event: Event
  /** The code of the API that names the fault; it identifies the text and the cures. */
  code: string
  /** The server's message about this event; not translated. */
  message: string | null
  /** The server's advice, for codes without a translation. */
  advice: string | null
  count: number
  address: string | null
  /** The id that was received, if it differs from the device's id. */
  otherId?: string
  payload?: string
  /** The syntax that JSON does not allow. */
  hint?: JsonFault
  cures: Cure[]
}

export type Event = Attempt['kind'] | 'connected' | 'disconnected' | 'refused' | 'message' | 'value'

export type JsonFault =
  | 'comma'
  | 'single-quotes'
  | 'no-quotes'
  | 'cut-off'
  | 'not-a-number'
  | 'trailing-comma'

/** Sorts findings, newest first, and marks faults that a later success has settled. */
export function sortFindings(findings: Finding[]): (Finding & { isSettled: boolean })[] {
  const sorted = findings.toSorted((a, b) => b.at - a.at || rank(b) - rank(a))
  let settled = -1
  return sorted.map((finding) => {
    const isSettled = finding.state === 'bad' && rank(finding) <= settled
    if (finding.state === 'good' && !finding.hasUnknownTime) settled = Math.max(settled, rank(finding))
    return { ...finding, isSettled }
  })
}

/** Whether a device has succeeded at the stage or at a later one. */
export const hasReached = (stage: Stage, findings: Finding[]) =>
  findings.some((finding) => finding.state === 'good' && rank(finding) >= stages.indexOf(stage))

const rank = ({ stage }: Finding) => stages.indexOf(stage)
