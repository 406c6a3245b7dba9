import { Button, TextInput } from '@mantine/core'
import { Icon } from '../../../parts/Icon.tsx'
import type { Form } from '../../../parts/form/use-form.ts'
import { Notice } from '../../../parts/State.tsx'
import { useWords } from '../../../words/words.tsx'
import { isLoopback } from '../first-device/setup.ts'
import styles from '../Onboarding.module.css'
import type { TargetValues } from './target-values.ts'

const MOST = 100

/** The broker addresses that devices receive, one a row. */
export function BrokerFields({ form }: { form: Form<TargetValues> }) {
  const words = useWords('targets')
  const { brokers } = form.values
  const changeRow = (index: number, row: Partial<TargetValues['brokers'][number]>) =>
    form.change({ brokers: brokers.map((broker, at) => (at === index ? { ...broker, ...row } : broker)) })
  const local = brokers.find(({ host }) => isLoopback(host.trim()))
  const problem = form.problem('brokers')
  return (
    <fieldset className={styles.fieldset}>
      <legend className={styles.legend}>{words.brokers}</legend>
      <p className={styles.note}>{words.brokersText}</p>
      {brokers.map(({ host, port }, index) => (
        // A row has no identifier other than its index.
        <div key={index} className={styles.broker}>
          <TextInput
            label={words.host}
            autoComplete="off"
            spellCheck={false}
            value={host}
            error={form.problem(`brokers.${index}.host`)}
            onChange={(event) => changeRow(index, { host: event.currentTarget.value })}
          />
          <TextInput
            label={words.port}
            inputMode="numeric"
            value={port}
            error={form.problem(`brokers.${index}.port`)}
            onChange={(event) => changeRow(index, { port: event.currentTarget.value })}
          />
          {brokers.length > 1 && (
            <Button
              aria-label={words.removeBroker(host)}
              onClick={() => form.change({ brokers: brokers.filter((_, at) => at !== index) })}
            >
              <Icon name="close" size={14} />
            </Button>
          )}
        </div>
      ))}
      {problem !== undefined && <p className={styles.problem}>{problem}</p>}
      <p className={styles.small}>{words.portHint}</p>
      {local !== undefined && <Notice kind="info">{words.loopback(local.host.trim())}</Notice>}
      <div>
        <Button
          size="xs"
          leftSection={<Icon name="plus" size={14} />}
          disabled={brokers.length >= MOST}
          onClick={() => form.change({ brokers: [...brokers, { host: '', port: '8883' }] })}
        >
          {words.addBroker}
        </Button>
      </div>
    </fieldset>
  )
}
