import type { Attempt, AttemptKind, AttemptOutcome, AttemptStep } from './attempt.ts'
import type { Attempts } from './attempts.ts'
import type { StepCode } from './step-codes.ts'

/** The steps of an attempt while it goes on. */
export interface AttemptTrail {
  step(code: StepCode, message?: string): void
  /** Forgets the steps so far, because they are taken again. */
  restart(): void
  /** Says whose attempt this is, once the device has proved its identity. */
  assign(owner: Owner): void
  /** Says whose attempt this is if the device is the one that it claims to be. */
  assignUnproven(owner: Owner): void
  /** Records the attempt. Later calls do nothing, so that the first one decides. */
  end(outcome: AttemptOutcome, code?: StepCode, message?: string): void
}

interface Owner {
  tenantId: string
  groupId?: string | undefined
}

interface Start {
  kind: AttemptKind
  deviceId: string
  address: string | undefined
}

export function startAttempt(
  attempts: Pick<Attempts, 'record'>,
  { kind, deviceId, address }: Start,
): AttemptTrail {
  const [startedAt, startMs] = [new Date(), performance.now()]
  const steps: AttemptStep[] = []
  let owner: Pick<Attempt, 'tenantId' | 'groupId' | 'isProven'> = { isProven: false }
  let hasEnded = false
  const step = (code: StepCode, message?: string) =>
    void steps.push(message === undefined ? { code } : { code, message })
  return {
    step,
    restart: () => void (steps.length = 0),
    assign({ tenantId, groupId }) {
      owner = { tenantId, groupId, isProven: true }
    },
    assignUnproven({ tenantId, groupId }) {
      owner = { tenantId, groupId, isProven: false }
    },
    end(outcome, code, message) {
      if (hasEnded) return
      hasEnded = true
      // Without an id there is nothing by which the attempt could be found.
      if (deviceId === '') return
      if (code) step(code, message)
      const durationMs = Math.round(performance.now() - startMs)
      attempts.record({
        kind,
        deviceId,
        address: address?.replace(/^::ffff:/, ''),
        ...owner,
        startedAt,
        durationMs,
        outcome,
        steps,
      })
    },
  }
}
