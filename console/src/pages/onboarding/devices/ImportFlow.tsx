import { Button, Checkbox, FileButton, Progress, Textarea } from '@mantine/core'
import { useMemo, useState } from 'react'
import { useFormat } from '../../../format.ts'
import type { PageLink } from '../../../links.ts'
import { DraftGuard } from '../../../parts/form/DraftGuard.tsx'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { Refusal } from '../../../parts/Refusal.tsx'
import { Facts } from '../../../parts/why/WhyPanel.tsx'
import { useWords } from '../../../words/words.tsx'
import styles from '../Onboarding.module.css'
import { readDeviceIds, type ReadDevices } from '../read-device-ids.ts'
import type { Group } from '../use-groups.ts'
import { FailureList } from './FailureList.tsx'
import { type ImportState, useImport } from './use-import.ts'

const MOST_BYTES = 20_000_000
/** Longer texts are not put into the text field, which would become slow. */
const MOST_SHOWN = 200_000

/** The import in three steps: a summary of the file, the progress, and the result. */
export function ImportFlow({ group, devices: link }: { group: Group; devices: PageLink }) {
  const { file: words } = useWords('onboardingDevices')
  const { state, start, stop, reset } = useImport(group)
  const [text, setText] = useState('')
  const [fileName, setFileName] = useState('')
  const [isTooLarge, setTooLarge] = useState(false)
  const [isProvisioned, setProvisioned] = useState(true)
  const read = useMemo(() => readDeviceIds(text), [text])
  const isRunning = state.phase === 'registering' || state.phase === 'provisioning'
  const open = async (file: File | null) => {
    if (file === null) return
    setTooLarge(file.size > MOST_BYTES)
    if (file.size > MOST_BYTES) return
    setFileName(file.name)
    setText(await file.text())
  }
  const again = () => {
    reset()
    setText('')
    setFileName('')
  }
  const run = () => void start(read.devices, isProvisioned)
  return (
    <div className={styles.form}>
      <DraftGuard isChanged={isRunning} />
      {state.phase === 'idle' ? (
        <>
          {text.length <= MOST_SHOWN && (
            <Textarea
              label={words.ids}
              rows={8}
              resize="vertical"
              spellCheck={false}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
          )}
          <div className={styles.line}>
            <FileButton
              accept=".csv,.txt,.json,.ndjson,text/csv,text/plain,application/json"
              onChange={(file) => void open(file)}
            >
              {(props) => <Button {...props}>{words.choose}</Button>}
            </FileButton>
            <bdi className={styles.note}>{fileName}</bdi>
          </div>
          {isTooLarge && <p className={styles.problem}>{words.tooLarge}</p>}
          <Checkbox
            label={words.provisionToo}
            description={words.provisionHint}
            checked={isProvisioned}
            onChange={(event) => setProvisioned(event.currentTarget.checked)}
          />
          {text !== '' && <WhatWasRead read={read} />}
          <StartButton count={read.devices.length} onStart={run} />
        </>
      ) : (
        <>
          <Running state={state} total={read.devices.length} isProvisioned={isProvisioned} />
          <Result state={state} isProvisioned={isProvisioned} wrong={read.wrong} />
          <div className={styles.line}>
            {isRunning && <Button onClick={stop}>{words.stop}</Button>}
            {(state.phase === 'broken' || state.phase === 'stopped') && (
              <Button variant="filled" onClick={run}>
                {words.goOn}
              </Button>
            )}
            {!isRunning && <Button onClick={again}>{words.again}</Button>}
            {!isRunning && <PageAnchor link={link}>{words.showDevices}</PageAnchor>}
          </div>
        </>
      )}
    </div>
  )
}

function StartButton({ count, onStart }: { count: number; onStart: () => void }) {
  const { file: words } = useWords('onboardingDevices')
  const format = useFormat()
  return (
    <div>
      <Button variant="filled" disabled={count === 0} onClick={onStart}>
        {count === 0 ? words.startNone : words.start(count, format.number(count))}
      </Button>
    </div>
  )
}

function WhatWasRead({ read: { devices, repeated, wrong } }: { read: ReadDevices }) {
  const { file: words } = useWords('onboardingDevices')
  const format = useFormat()
  const parts = [
    words.read(devices.length, format.number(devices.length)),
    ...(repeated > 0 ? [words.repeated(format.number(repeated))] : []),
    ...(wrong.length > 0 ? [words.wrong(wrong.length, format.number(wrong.length))] : []),
  ]
  return (
    <>
      <p role="status">{parts.join('; ')}.</p>
      <FailureList name="devices" failures={useWrongLines(wrong)} />
    </>
  )
}

const useWrongLines = (wrong: ReadDevices['wrong']) => {
  const { file: words } = useWords('onboardingDevices')
  return wrong.map((line) => ({ ...line, reason: words.wrongId }))
}

interface RunningProps {
  state: ImportState
  total: number
  isProvisioned: boolean
}

function Running({ state, total, isProvisioned }: RunningProps) {
  const { file: words } = useWords('onboardingDevices')
  const format = useFormat()
  const provisioned = state.made + state.madeBefore
  const steps = isProvisioned ? 2 * total : total
  const ended = state.phase === 'done' ? steps : state.sent + (isProvisioned ? provisioned : 0)
  const told: Record<ImportState['phase'], string> = {
    idle: '',
    registering: words.registering(format.number(state.sent), format.number(total)),
    provisioning: words.provisioning(format.number(provisioned), format.number(total)),
    done: words.done,
    stopped: words.stopped,
    broken: words.broken,
  }
  return (
    <>
      <Progress
        value={steps === 0 ? 100 : (ended / steps) * 100}
        aria-label={words.title}
        transitionDuration={0}
      />
      <p role="status">{told[state.phase]}</p>
      {state.error !== null && <Refusal error={state.error} />}
    </>
  )
}

interface ResultProps {
  state: ImportState
  isProvisioned: boolean
  wrong: ReadDevices['wrong']
}

function Result({ state, isProvisioned, wrong }: ResultProps) {
  const { file: words } = useWords('onboardingDevices')
  const format = useFormat()
  const failures = [...useWrongLines(wrong), ...state.failures]
  return (
    <>
      <Facts
        entries={[
          [words.added, format.number(state.added)],
          [words.skipped, format.number(state.skipped)],
          ...(isProvisioned
            ? ([
                [words.made, format.number(state.made)],
                [words.madeBefore, format.number(state.madeBefore)],
              ] as [string, string][])
            : []),
          [words.failures, format.number(failures.length)],
        ]}
      />
      <FailureList name="devices" failures={failures} />
    </>
  )
}
