import { Button, Textarea, TextInput } from '@mantine/core'
import type { Form } from '../../../parts/form/use-form.ts'
import { Icon } from '../../../parts/Icon.tsx'
import { useWords } from '../../../words/words.tsx'
import styles from '../Firmware.module.css'
import { ValuesInput } from '../ValuesInput.tsx'
import { newStep, type StatusList, statusLists, type TemplateValues } from './template.ts'

const MOST_STEPS = 20

export function TemplateFields({ form }: { form: Form<TemplateValues> }) {
  const { template: words, name, description } = useWords('firmware')
  return (
    <div className={styles.fields}>
      <div className={styles.pair}>
        <TextInput label={name} autoComplete="off" {...form.field('displayName')} />
        <TextInput label={words.version} autoComplete="off" {...form.field('version')} />
      </div>
      <StepFields form={form} />
      <StatusFields form={form} />
      <Textarea label={description} autosize minRows={1} {...form.field('description')} />
    </div>
  )
}

function StepFields({ form }: { form: Form<TemplateValues> }) {
  const { template: words } = useWords('firmware')
  const { steps } = form.values
  const set = (next: TemplateValues['steps']) => form.change({ steps: next })
  const field = (index: number, key: keyof TemplateValues['steps'][number]) => ({
    value: steps[index]![key],
    autoComplete: 'off',
    spellCheck: false,
    onChange: (event: { currentTarget: { value: string } }) =>
      set(steps.map((step, at) => (at === index ? { ...step, [key]: event.currentTarget.value } : step))),
  })
  return (
    <section className={styles.block} aria-label={words.steps}>
      <h2 className={styles.subtitle}>{words.steps}</h2>
      <p className={styles.quiet}>{words.stepsHint}</p>
      {steps.map((_, index) => (
        // Steps have no ids of their own.
        <fieldset key={index} className={styles.group}>
          <legend className={styles.legend}>{words.step(index + 1)}</legend>
          <div className={styles.pair}>
            <TextInput
              label={words.property}
              error={form.problem(`steps.${index}.name`)}
              {...field(index, 'name')}
            />
            <TextInput label={words.label} {...field(index, 'displayName')} />
          </div>
          <Textarea
            label={words.value}
            autosize
            minRows={3}
            maxRows={16}
            classNames={{ input: styles.code! }}
            error={form.problem(`steps.${index}.value`)}
            {...field(index, 'text')}
          />
          {steps.length > 1 && (
            <Button className={styles.start} onClick={() => set(steps.filter((__, at) => at !== index))}>
              {words.removeStep(index + 1)}
            </Button>
          )}
        </fieldset>
      ))}
      {steps.length < MOST_STEPS && (
        <Button
          className={styles.start}
          leftSection={<Icon name="plus" />}
          onClick={() => set([...steps, newStep])}
        >
          {words.addStep}
        </Button>
      )}
    </section>
  )
}

function StatusFields({ form }: { form: Form<TemplateValues> }) {
  const { template: words } = useWords('firmware')
  const { statuses, statusPropertyName } = form.values
  const labels: Record<StatusList, string> = {
    successStatuses: words.success,
    failureStatuses: words.failure,
    rejectStatuses: words.reject,
    cancelStatuses: words.cancel,
  }
  return (
    <section className={styles.block}>
      <TextInput
        label={words.statusProperty}
        description={words.statusPropertyHint}
        autoComplete="off"
        spellCheck={false}
        value={statusPropertyName}
        onChange={(event) => form.change({ statusPropertyName: event.currentTarget.value })}
        error={form.problem('status.statusPropertyName')}
      />
      <p className={styles.quiet}>{words.statusHint}</p>
      <div className={styles.pair}>
        {statusLists.map((list) => (
          <ValuesInput
            key={list}
            label={labels[list]}
            value={statuses[list]}
            onChange={(values) => form.change({ statuses: { ...statuses, [list]: values } })}
            error={form.problem(`status.statusMap.${list}`)}
          />
        ))}
      </div>
    </section>
  )
}
