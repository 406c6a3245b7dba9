import { Button, TextInput } from '@mantine/core'
import { send } from '../api/send.ts'
import { useForm } from '../parts/form/use-form.ts'
import { Refusal } from '../parts/Refusal.tsx'
import { useWords } from '../words/words.tsx'
import styles from './Card.module.css'
import { goToIssuer, readIssuerTenant } from './oidc.ts'

/** Leads to the issuer of a tenant. */
export function IssuerForm() {
  const words = useWords('shell').signIn
  const form = useForm({
    initial: { tenant: readIssuerTenant() ?? '' },
    validate: ({ tenant }) => (tenant.trim() === '' ? { tenant: words.required } : {}),
    submit: ({ tenant }) =>
      goToIssuer(send, {
        tenant: tenant.trim(),
        returnTo: location.href,
        explainSilence: words.issuerSilent,
      }),
  })
  return (
    <form className={styles.form} onSubmit={form.onSubmit} noValidate>
      <TextInput label={words.tenant} description={words.tenantHint} autoFocus {...form.field('tenant')} />
      {form.failure !== null && <Refusal error={form.failure} />}
      <Button type="submit" variant="filled" fullWidth loading={form.isSubmitting}>
        {words.goOn}
      </Button>
    </form>
  )
}
