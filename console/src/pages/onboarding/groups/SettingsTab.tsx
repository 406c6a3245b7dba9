import { Checkbox, NumberInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import { SaveBar } from '../../../parts/form/SaveBar.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { Notice } from '../../../parts/State.tsx'
import { useWords } from '../../../words/words.tsx'
import { BodyRefusal, withoutBodyRefusal } from '../BodyRefusal.tsx'
import styles from '../Onboarding.module.css'
import type { Group } from '../use-groups.ts'
import { TargetSelect } from './TargetSelect.tsx'
import { useUpdateGroup } from './use-update-group.ts'

const DAY_SECONDS = 86_400
const MOST_DAYS = 366

const read = (group: Group) => ({
  name: group.name,
  routing_target_id: group.routing_target_id,
  offline_settings: group.offline_settings,
  days: group.offline_settings_max_age_seconds / DAY_SECONDS,
})

/** The name, the target, and the behaviour while the provider is unavailable. */
export default function SettingsTab({ group }: { group: Group }) {
  const [saved, setSaved] = useState(group)
  return <SettingsForm key={JSON.stringify(read(saved))} saved={saved} onSaved={setSaved} />
}

function SettingsForm({ saved, onSaved }: { saved: Group; onSaved: (group: Group) => void }) {
  const words = useWords('groups')
  const common = useWords('common')
  const update = useUpdateGroup(saved)
  const form = useForm({
    draft: `group-settings-${saved.id}`,
    initial: read(saved),
    validate: ({ name, days, offline_settings: isOffline }) => ({
      ...(name.trim() === '' && { name: common.required }),
      ...(isOffline && !(days > 0 && days <= MOST_DAYS) && { days: words.daysRule }),
    }),
    submit: async ({ name, days, ...values }) =>
      onSaved(
        await update({
          ...values,
          name: name.trim(),
          offline_settings_max_age_seconds: Math.max(1, Math.round(days * DAY_SECONDS)),
        }),
      ),
  })
  const { values, change } = form
  return (
    <form onSubmit={form.onSubmit} noValidate className={styles.form} aria-label={words.tabs.settings}>
      <BodyRefusal form={form} />
      <TextInput label={words.name} autoComplete="off" {...form.field('name')} />
      <TargetSelect
        value={values.routing_target_id}
        error={form.problem('routing_target_id')}
        onChange={(id) => change({ routing_target_id: id })}
      />
      {values.routing_target_id !== saved.routing_target_id && (
        <Notice kind="warning">{words.otherTarget}</Notice>
      )}
      <Checkbox
        label={words.offlineLabel}
        description={words.offlineHint}
        checked={values.offline_settings}
        onChange={(event) => change({ offline_settings: event.currentTarget.checked })}
      />
      {values.offline_settings && (
        <NumberInput
          label={words.days}
          suffix={` ${words.daysUnit}`}
          min={0}
          max={MOST_DAYS}
          decimalScale={4}
          value={values.days}
          error={form.problem('days') ?? form.problem('offline_settings_max_age_seconds')}
          onChange={(days) => change({ days: Number(days) })}
        />
      )}
      {saved.offline_settings && !values.offline_settings && (
        <Notice kind="warning">{words.offlineOff}</Notice>
      )}
      <SaveBar form={withoutBodyRefusal(form)} label={words.save} />
    </form>
  )
}
