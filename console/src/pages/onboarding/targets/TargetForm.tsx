import { SegmentedControl, Select, TextInput } from '@mantine/core'
import { useRef } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { SaveBar } from '../../../parts/form/SaveBar.tsx'
import { type Form, useForm } from '../../../parts/form/use-form.ts'
import { Notice } from '../../../parts/State.tsx'
import { useWords } from '../../../words/words.tsx'
import { BodyRefusal, withoutBodyRefusal } from '../BodyRefusal.tsx'
import styles from '../Onboarding.module.css'
import type { Target } from '../use-groups.ts'
import { BrokerFields } from './BrokerFields.tsx'
import { OtherFields, OwnFields } from './SecretFields.tsx'
import {
  chooseAddress,
  chooseSecrets,
  findTargetProblems,
  type MadeToken,
  type OwnPlatform,
  type TargetValues,
  writeBrokers,
} from './target-values.ts'

/** Absent secrets remain unchanged. */
export interface TargetBody {
  name: string
  brokers: { host: string; port: number }[]
  broker_selection: 'first' | 'spread'
  provider_base_url: string
  provider_api_key?: string
  webhook_secret?: string
}

interface Props {
  own: OwnPlatform
  initial: TargetValues
  /** The edited target; absent for a new one. */
  saved?: Target
  action: string
  onSave: (body: TargetBody, reset: () => void) => Promise<unknown>
}

/** The fields of a routing target. The secrets are kept in this page only. */
export function TargetForm({ own, initial, saved, action, onSave }: Props) {
  const words = useWords('targets')
  const { required } = useWords('common')
  const api = useApi()
  const made = useRef<MadeToken>({})
  const form: Form<TargetValues> = useForm<TargetValues>({
    initial,
    validate: (values) => findTargetProblems(values, { own, saved, words: { ...words, required } }),
    submit: async (values) => {
      const provider_base_url = chooseAddress(values, own, saved)
      const isAddressNew = provider_base_url !== saved?.provider_base_url
      const tokenName = words.tokenName(values.name.trim())
      const secrets = await chooseSecrets(api, values, { isAddressNew, made: made.current, tokenName })
      const body = {
        name: values.name.trim(),
        brokers: writeBrokers(values),
        broker_selection: values.broker_selection,
        provider_base_url,
        ...secrets,
      }
      await onSave(body, form.reset)
      made.current = {}
    },
  })
  const { values, change } = form
  return (
    <form onSubmit={form.onSubmit} noValidate className={styles.form} aria-label={action}>
      <BodyRefusal form={form} />
      <TextInput label={words.name} description={words.nameHint} autoComplete="off" {...form.field('name')} />
      <BrokerFields form={form} />
      {values.brokers.length > 1 && (
        <Select
          label={words.selection}
          value={values.broker_selection}
          onChange={(value) => change({ broker_selection: value === 'spread' ? 'spread' : 'first' })}
          data={[
            { value: 'first', label: words.first },
            { value: 'spread', label: words.spread },
          ]}
        />
      )}
      <ProviderFields {...{ form, own, saved }} />
      <SaveBar form={withoutBodyRefusal(form)} label={action} />
    </form>
  )
}

interface ProviderProps {
  form: Form<TargetValues>
  own: OwnPlatform
  saved: Target | undefined
}

function ProviderFields({ form, own, saved }: ProviderProps) {
  const words = useWords('targets')
  const { values, change } = form
  const isOwn = values.ownProvider !== ''
  const isAddressNew = chooseAddress(values, own, saved) !== saved?.provider_base_url
  return (
    <fieldset className={styles.fieldset}>
      <legend className={styles.legend}>{words.provider}</legend>
      <p className={styles.note}>{words.providerText}</p>
      <SegmentedControl
        aria-label={words.provider}
        value={isOwn ? 'own' : 'other'}
        onChange={(kind) => change({ ownProvider: kind === 'own' ? (own.providers[0] ?? 'mqtt') : '' })}
        data={[
          { value: 'own', label: words.thisPlatform },
          { value: 'other', label: words.otherService },
        ]}
      />
      {saved !== undefined && isAddressNew && (
        <Notice kind="warning">{isOwn ? words.newOwnAddress : words.newAddress}</Notice>
      )}
      {isOwn ? (
        <OwnFields {...{ form, own, saved, isAddressNew }} />
      ) : (
        <OtherFields {...{ form, saved, isAddressNew }} />
      )}
    </fieldset>
  )
}
