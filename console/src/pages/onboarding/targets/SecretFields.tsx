import { Button, Checkbox, PasswordInput, Select, TextInput } from '@mantine/core'
import type { Form } from '../../../parts/form/use-form.ts'
import { useWords } from '../../../words/words.tsx'
import { makeSecret } from '../first-device/setup.ts'
import styles from '../Onboarding.module.css'
import type { Target } from '../use-groups.ts'
import type { OwnPlatform, TargetValues } from './target-values.ts'

interface Props {
  form: Form<TargetValues>
  saved: Target | undefined
  isAddressNew: boolean
}

/** Fields for a provider on this server; the page creates its secrets. */
export function OwnFields({ form, own, saved, isAddressNew }: Props & { own: OwnPlatform }) {
  const words = useWords('targets')
  const { values, change } = form
  const choices = own.providers.includes(values.ownProvider)
    ? own.providers
    : [values.ownProvider, ...own.providers]
  return (
    <>
      {choices.length > 1 && (
        <Select
          label={words.ownProvider}
          value={values.ownProvider}
          data={choices}
          onChange={(ownProvider) => change({ ownProvider: ownProvider ?? '' })}
        />
      )}
      {isAddressNew && <p className={styles.note}>{words.tokenMade}</p>}
      {!isAddressNew && saved !== undefined && (
        <Checkbox
          label={words.renewToken}
          description={words.renewTokenHint}
          checked={values.isTokenRenewed}
          onChange={(event) => change({ isTokenRenewed: event.currentTarget.checked })}
        />
      )}
    </>
  )
}

/** Fields for another service: its address and both secrets. */
export function OtherFields({ form, saved, isAddressNew }: Props) {
  const words = useWords('targets')
  const isKept = saved !== undefined && !isAddressNew
  const visibility = { 'aria-label': words.showSecret }
  return (
    <>
      <TextInput
        label={words.address}
        description={words.addressHint}
        autoComplete="off"
        spellCheck={false}
        inputMode="url"
        {...form.field('provider_base_url')}
      />
      <PasswordInput
        label={words.apiKey}
        description={isKept ? words.keptHint : words.apiKeyHint}
        autoComplete="new-password"
        visibilityToggleButtonProps={visibility}
        {...form.field('provider_api_key')}
      />
      <div className={styles.withButton}>
        <PasswordInput
          label={words.webhookSecret}
          description={isKept ? words.keptHint : words.webhookSecretHint}
          autoComplete="new-password"
          visibilityToggleButtonProps={visibility}
          {...form.field('webhook_secret')}
        />
        <Button onClick={() => form.change({ webhook_secret: makeSecret() })}>{words.makeSecret}</Button>
      </div>
    </>
  )
}
