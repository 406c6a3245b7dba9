import { Checkbox, TextInput } from '@mantine/core'
import type { Form } from '../../../parts/form/use-form.ts'
import { NumberField } from '../../../parts/number/NumberField.tsx'
import { useWords } from '../../../words/words.tsx'
import { PickMany } from '../../../parts/pick/PickMany.tsx'
import styles from '../Firmware.module.css'
import type { NewDeployment } from './new-deployment.ts'
import { useObjectFinder } from '../../access/use-object-finder.ts'

/** How the devices get the release: waves, and when it stops. */
export function RolloutFields({ form }: { form: Form<NewDeployment> }) {
  const { new: words } = useWords('deployments')
  const { values, change } = form
  const rules = useObjectFinder('alarm')
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>{words.how}</legend>
      <Checkbox
        label={words.inWaves}
        checked={values.isRollout}
        onChange={(event) => change({ isRollout: event.currentTarget.checked })}
      />
      {values.isRollout && (
        <>
          <div className={styles.pair}>
            <TextInput
              label={words.waves}
              description={words.wavesHint}
              autoComplete="off"
              value={values.waves}
              onChange={(event) => change({ waves: event.currentTarget.value })}
              error={form.problem('rollout.waves')}
            />
            <NumberField
              label={words.threshold}
              description={words.thresholdHint}
              suffix=" %"
              min={0}
              max={100}
              value={values.threshold}
              onChange={(threshold) => change({ threshold })}
              error={form.problem('rollout.failureThresholdPercent')}
            />
          </div>
          <Checkbox
            label={words.rollback}
            description={words.rollbackHint}
            checked={values.rollback}
            onChange={(event) => change({ rollback: event.currentTarget.checked })}
          />
          <PickMany
            {...rules}
            label={words.healthAlarms}
            description={words.healthAlarmsHint}
            value={values.healthAlarmIds}
            onChange={(healthAlarmIds) => change({ healthAlarmIds })}
            error={form.problem('rollout.healthAlarmIds')}
            isReadOnly={false}
          />
        </>
      )}
      <NumberField
        label={words.timeout}
        description={words.timeoutHint}
        min={1}
        value={values.timeoutMinutes}
        onChange={(timeoutMinutes) => change({ timeoutMinutes })}
        error={form.problem('timeoutSeconds')}
      />
    </fieldset>
  )
}
