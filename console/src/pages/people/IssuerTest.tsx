import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { Id } from '../../parts/Id.tsx'
import { Refusal } from '../../parts/Refusal.tsx'
import { StateMark } from '../../parts/StateMark.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './People.module.css'

interface Props {
  tenantId: string
  issuer: string
  /** Whether the form has changes, which the test does not know. */
  isChanged: boolean
}

/** Asks the server to find the saved issuer, as the first step of a sign-in does. */
export function IssuerTest({ tenantId, issuer, isChanged }: Props) {
  const { signIn: words } = useWords('people')
  const api = useApi()
  const test = useMutation({
    mutationFn: () => api.get('/v1/auth/oidc', { query: { tenant: tenantId }, signal: withTimeout() }),
  })
  const endpoint = test.data?.issuer === issuer ? test.data.authorizationEndpoint : undefined
  return (
    <section className={styles.panel} aria-label={words.test}>
      <h2 className={styles.subtitle}>{words.test}</h2>
      <p className={styles.note}>{isChanged ? words.saveFirst : words.testText}</p>
      <Button disabled={isChanged} loading={test.isPending} onClick={() => test.mutate()}>
        {words.testAction}
      </Button>
      <div role="status" className={styles.fields}>
        {endpoint === null && <StateMark state="bad">{words.silent}</StateMark>}
        {typeof endpoint === 'string' && (
          <>
            <StateMark state="good">{words.reached}</StateMark>
            <Id value={endpoint} name={words.issuer} />
            <p className={styles.note}>{words.openSignIn}</p>
            <Id value={tenantId} name={words.tenant} />
          </>
        )}
      </div>
      {test.error !== null && <Refusal error={test.error} />}
    </section>
  )
}
