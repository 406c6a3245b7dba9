import { Button, Checkbox, Group, Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Notice } from '../../../parts/State.tsx'
import { useWords } from '../../../words/words.tsx'
import styles from './Flow.module.css'
import { findProblems, isLoopback, type Known, readPort, type Setup } from './setup.ts'

interface Props {
  known: Known
  setup: Setup
  onSetup: (setup: Setup) => void
  onNext: () => void
}

/** Choice of the broker to which devices connect. */
export function TargetStep({ known, setup, onSetup, onNext }: Props) {
  const words = useWords('firstDevice')
  const [isChecked, setChecked] = useState(false)
  const problems = isChecked ? findProblems(setup) : {}
  const { endpoints } = known
  const chooseTarget = (targetId: string) => {
    const group = known.groups.find((one) => one.routing_target_id === targetId && one.status === 'enabled')
    onSetup({ ...setup, targetId, groupId: group?.id ?? '' })
  }
  const isNew = setup.targetId === ''
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        setChecked(true)
        const { host, port } = findProblems(setup)
        if (!host && !port) onNext()
      }}
    >
      {known.targets.length > 0 && (
        <Select
          label={words.target}
          description={known.isCut ? words.onlyOldest : undefined}
          value={setup.targetId}
          onChange={(value) => chooseTarget(value ?? '')}
          data={[
            ...known.targets.map(({ id, name }) => ({ value: id, label: name })),
            { value: '', label: words.newTarget },
          ]}
        />
      )}
      {isNew && (
        <>
          <div className={styles.pair}>
            <TextInput
              label={words.host}
              description={words.hostHint}
              value={setup.host}
              error={problems.host && words.hostProblem}
              onChange={(event) => onSetup({ ...setup, host: event.currentTarget.value })}
            />
            <TextInput
              label={words.port}
              inputMode="numeric"
              value={setup.port}
              error={problems.port && words.portProblem}
              onChange={(event) => onSetup({ ...setup, port: event.currentTarget.value })}
            />
          </div>
          {isLoopback(setup.host) && <Notice kind="info">{words.loopback(setup.host)}</Notice>}
          <Checkbox
            label={words.tls}
            description={words.tlsHint}
            checked={setup.isTls}
            onChange={({ currentTarget: { checked: isTls } }) =>
              onSetup({ ...setup, isTls, port: readPort(isTls ? endpoints.mqtts : endpoints.mqtt) })
            }
          />
        </>
      )}
      <Group justify="flex-end">
        <Button type="submit" variant="filled">
          {words.next}
        </Button>
      </Group>
    </form>
  )
}
