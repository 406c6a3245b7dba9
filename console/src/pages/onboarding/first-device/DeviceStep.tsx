import { Button, Group, Select, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { CodeBlock } from '../../../parts/code/CodeBlock.tsx'
import { Refusal } from '../../../parts/Refusal.tsx'
import { useWords } from '../../../words/words.tsx'
import styles from './Flow.module.css'
import { previewSettings } from './preview-settings.ts'
import { findProblems, type Known, type Made, type Setup, setUp, type Stage } from './setup.ts'

interface Props {
  known: Known
  setup: Setup
  onSetup: (setup: Setup) => void
  onBack: () => void
  onReady: (made: { groupId: string }) => void
}

/** Choice of the device id and the group, with a preview of the settings. */
export function DeviceStep({ known, setup, onSetup, onBack, onReady }: Props) {
  const words = useWords('firstDevice')
  const api = useApi()
  const made = useRef<Made>({})
  const [isChecked, setChecked] = useState(false)
  const [stage, setStage] = useState<Stage>('target')
  const run = useMutation({
    mutationFn: () => setUp(api, { setup, made: made.current, onStage: setStage }),
    onSuccess: onReady,
  })
  const problems = isChecked ? findProblems(setup) : {}
  const groups = known.groups.filter((group) => group.routing_target_id === setup.targetId)
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        setChecked(true)
        if (Object.keys(findProblems(setup)).length === 0 && !run.isPending) run.mutate()
      }}
    >
      <TextInput
        label={words.deviceId}
        description={words.deviceIdHint}
        value={setup.deviceId}
        error={problems.deviceId && words.deviceIdProblem}
        onChange={(event) => onSetup({ ...setup, deviceId: event.currentTarget.value.trim() })}
      />
      {groups.length > 0 && (
        <Select
          label={words.group}
          description={known.isCut ? words.onlyOldest : undefined}
          value={setup.groupId}
          onChange={(value) => onSetup({ ...setup, groupId: value ?? '' })}
          data={[
            ...groups.map(({ id, name, status }) => ({
              value: id,
              label: status === 'disabled' ? words.disabledGroup(name) : name,
            })),
            { value: '', label: words.newGroup },
          ]}
        />
      )}
      {setup.groupId === '' && (
        <TextInput
          label={words.groupName}
          description={words.groupHint}
          value={setup.groupName}
          error={problems.groupName && words.groupNameProblem}
          onChange={(event) => onSetup({ ...setup, groupName: event.currentTarget.value })}
        />
      )}
      <div>
        <p className={styles.label}>{words.preview(setup.deviceId)}</p>
        <CodeBlock code={previewSettings(known, setup)} name={words.preview(setup.deviceId)} />
      </div>
      {run.error !== null && <Refusal error={run.error} />}
      <Group justify="space-between">
        <Button onClick={onBack}>{words.back}</Button>
        <Group gap="sm">
          <span role="status" className={styles.note}>
            {run.isPending && words.stages[stage]}
          </span>
          <Button type="submit" variant="filled" loading={run.isPending}>
            {words.prepare}
          </Button>
        </Group>
      </Group>
    </form>
  )
}
