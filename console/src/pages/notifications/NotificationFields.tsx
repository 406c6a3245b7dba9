import { Checkbox, Textarea, TextInput } from '@mantine/core'
import type { Form } from '../../parts/form/use-form.ts'
import { useWords } from '../../words/words.tsx'
import type { Channel, NotificationValues } from './notification.ts'
import styles from './Notifications.module.css'
import { PickMany } from '../../parts/pick/PickMany.tsx'
import { useObjectFinder } from '../access/use-object-finder.ts'

interface Props {
  form: Form<NotificationValues>
  isReadOnly?: boolean
}

/** The fields of a notification: of what, to whom, and with which words. */
export function NotificationFields({ form, isReadOnly = false }: Props) {
  const words = useWords('notifications')
  const { values, change } = form
  return (
    <div className={styles.fields}>
      <TextInput label={words.name} autoComplete="off" readOnly={isReadOnly} {...form.field('displayName')} />
      <PickMany
        {...useObjectFinder('alarm')}
        label={words.rules}
        description={words.rulesHint}
        value={values.trigger}
        onChange={(trigger) => change({ trigger })}
        error={form.problem('trigger.alarmTrigger')}
        isReadOnly={isReadOnly}
      />
      <Checkbox
        label={words.broadcast}
        description={words.broadcastHint}
        disabled={isReadOnly}
        checked={values.broadcast}
        onChange={(event) => change({ broadcast: event.currentTarget.checked })}
      />
      <PickMany
        {...useObjectFinder('contact_group')}
        label={words.contactGroups}
        description={words.contactGroupsHint}
        value={values.subscribers}
        onChange={(subscribers) => change({ subscribers })}
        error={form.problem('subscribers.contactGroups')}
        isReadOnly={isReadOnly}
      />
      <ChannelFields channel="email" form={form} isReadOnly={isReadOnly} />
      <ChannelFields channel="sms" form={form} isReadOnly={isReadOnly} />
      <Textarea
        label={words.description}
        autosize
        minRows={1}
        readOnly={isReadOnly}
        {...form.field('description')}
      />
    </div>
  )
}

function ChannelFields({ channel, form, isReadOnly }: Props & { channel: Channel }) {
  const words = useWords('notifications')
  const { channels } = form.values
  const own = channels[channel]
  const set = (changes: Partial<NotificationValues['channels']['email']>) =>
    form.change({ channels: { ...channels, [channel]: { ...own, ...changes } } })
  const text = (name: 'subject' | 'from' | 'template', value: string) => ({
    value,
    readOnly: isReadOnly,
    error: form.problem(`channels.${channel}.${name}`),
    onChange: (event: { currentTarget: { value: string } }) => set({ [name]: event.currentTarget.value }),
  })
  return (
    <fieldset className={styles.channel}>
      <legend className={styles.legend}>{words[channel]}</legend>
      <Checkbox
        label={words.active[channel]}
        disabled={isReadOnly}
        checked={own.active}
        onChange={(event) => set({ active: event.currentTarget.checked })}
      />
      {channel === 'email' && (
        <TextInput
          label={words.subject}
          description={words.subjectHint}
          autoComplete="off"
          {...text('subject', channels.email.subject)}
        />
      )}
      <Textarea
        label={words.template}
        description={words.templateHint}
        autosize
        minRows={channel === 'email' ? 4 : 2}
        maxRows={16}
        spellCheck={false}
        {...text('template', own.template)}
      />
      <TextInput
        label={words.from}
        description={words.fromHints[channel]}
        autoComplete="off"
        {...text('from', own.from)}
      />
    </fieldset>
  )
}
