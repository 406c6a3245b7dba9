import { Button, Modal, Progress, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { useExplanation } from '../../../parts/Refusal.tsx'
import { useWords } from '../../../words/words.tsx'
import styles from '../Onboarding.module.css'
import type { Group } from '../use-groups.ts'
import { type OnboardingDevice, provisionDevice, removeDevice } from './device.ts'
import { FailureList } from './FailureList.tsx'
import { type Failure, runEach } from './run-each.ts'

export type BulkKind = 'provision' | 'remove'

interface Props {
  group: Group
  kind: BulkKind
  rows: OnboardingDevice[]
  onClose: () => void
}

const AT_ONCE = 4
const runs = { provision: provisionDevice, remove: removeDevice }

/** Confirms a bulk action with the number of devices, runs it, and lists the failures. */
export default function BulkRun({ group, kind, rows, onClose }: Props) {
  const { bulk } = useWords('onboardingDevices')
  const common = useWords('common')
  const format = useFormat()
  const words = bulk[kind]
  const run = useRun(group, kind)
  const [typed, setTyped] = useState('')
  // Devices that are provisioned already are left out.
  const wanted = kind === 'provision' ? rows.filter(({ status }) => status === 'registered') : rows
  const needsName = kind === 'remove'
  const close = () => {
    run.stop()
    onClose()
  }
  return (
    <Modal opened onClose={close} title={words.title}>
      <div className={styles.stack}>
        {run.state === 'asking' && (
          <>
            <p>{words.text(wanted.length, format.number(wanted.length))}</p>
            {rows.length > wanted.length && (
              <p className={styles.note}>{bulk.unchanged(format.number(rows.length - wanted.length))}</p>
            )}
            {needsName && (
              <TextInput
                data-autofocus
                autoComplete="off"
                label={common.confirmName(group.name)}
                value={typed}
                onChange={(event) => setTyped(event.currentTarget.value)}
              />
            )}
            <div className={styles.line}>
              <Button onClick={close}>{common.cancel}</Button>
              <Button
                variant="filled"
                color={kind === 'remove' ? 'red' : undefined}
                disabled={wanted.length === 0 || (needsName && typed !== group.name)}
                onClick={() => void run.start(wanted.map(({ device_id }) => device_id))}
              >
                {words.action}
              </Button>
            </div>
          </>
        )}
        {run.state !== 'asking' && <Running run={run} total={wanted.length} kind={kind} onClose={close} />}
      </div>
    </Modal>
  )
}

function Running(props: {
  run: ReturnType<typeof useRun>
  total: number
  kind: BulkKind
  onClose: () => void
}) {
  const { run, total, kind, onClose } = props
  const { bulk } = useWords('onboardingDevices')
  const common = useWords('common')
  const format = useFormat()
  const explain = useExplanation()
  const ended = run.done + run.failures.length
  return (
    <>
      <Progress
        value={total === 0 ? 100 : (ended / total) * 100}
        aria-label={bulk[kind].title}
        transitionDuration={0}
      />
      <p role="status">
        {bulk.progress(format.number(run.done), format.number(total), format.number(run.failures.length))}
        {run.state === 'stopped' && ` ${bulk.stopped}`}
      </p>
      <FailureList
        name={kind}
        failures={run.failures.map(({ deviceId, error }) => ({
          line: null,
          deviceId,
          reason: explain(error).reason,
        }))}
      />
      <div className={styles.line}>
        {run.state === 'running' ? (
          <Button onClick={run.stop}>{bulk.stop}</Button>
        ) : (
          <Button variant="filled" onClick={onClose}>
            {common.close}
          </Button>
        )}
      </div>
    </>
  )
}

function useRun(group: Group, kind: BulkKind) {
  const api = useApi()
  const cache = useQueryClient()
  const control = useRef<AbortController | null>(null)
  const [state, setState] = useState<'asking' | 'running' | 'stopped' | 'done'>('asking')
  const [done, setDone] = useState(0)
  const [failures, setFailures] = useState<Failure[]>([])
  const start = async (deviceIds: string[]) => {
    const { signal } = (control.current = new AbortController())
    setState('running')
    await runEach(deviceIds, (deviceId) => runs[kind](api, group.id, deviceId), {
      atOnce: AT_ONCE,
      signal,
      onDone: () => setDone((count) => count + 1),
      onFailure: (failure) => setFailures((present) => [...present, failure]),
    })
    setState(signal.aborted ? 'stopped' : 'done')
    void cache.invalidateQueries({ queryKey: ['onboarding-devices'] })
    void cache.invalidateQueries({ queryKey: ['readiness', group.id] })
  }
  return { state, done, failures, start, stop: () => control.current?.abort() }
}
