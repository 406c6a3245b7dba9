import { useEffect, useState } from 'react'
import { useWords } from '../words/words.tsx'
import { Card } from './Card.tsx'
import styles from './Card.module.css'
import { IssuerForm } from './IssuerForm.tsx'
import { readIssuerTenant } from './oidc.ts'
import { PasswordForm } from './PasswordForm.tsx'
import { RequestReset } from './RequestReset.tsx'

/** In the place of the page that was asked for; its address stays. */
export default function SignIn() {
  const words = useWords('shell')
  const [way, setWay] = useState<'password' | 'issuer' | 'reset'>(() =>
    readIssuerTenant() === null ? 'password' : 'issuer',
  )
  useEffect(() => {
    document.title = `${words.signIn.submit} · ${words.product}`
  }, [words])
  if (way === 'reset') return <RequestReset onBack={() => setWay('password')} />
  return (
    <Card title={words.signIn.title}>
      {way === 'password' ? <PasswordForm /> : <IssuerForm />}
      <div className={`${styles.links} ${styles.form}`} style={{ flexDirection: 'row' }}>
        {way === 'password' ? (
          <>
            <button type="button" className={styles.link} onClick={() => setWay('reset')}>
              {words.signIn.forgot}
            </button>
            <button type="button" className={styles.link} onClick={() => setWay('issuer')}>
              {words.signIn.withIssuer}
            </button>
          </>
        ) : (
          <button type="button" className={styles.link} onClick={() => setWay('password')}>
            {words.signIn.withPassword}
          </button>
        )}
      </div>
    </Card>
  )
}
