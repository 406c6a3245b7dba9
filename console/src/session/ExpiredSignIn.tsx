import { Button, Modal } from '@mantine/core'
import { useState } from 'react'
import { useWords } from '../words/words.tsx'
import styles from './Card.module.css'
import { readIssuerTenant, signInWindow } from './oidc.ts'
import { PasswordForm } from './PasswordForm.tsx'
import { useUser } from './SessionProvider.tsx'

/** Over the page, which stays as it is, until the user is back. */
export default function ExpiredSignIn() {
  const words = useWords('shell').signIn
  const { email } = useUser()
  const [tenant] = useState(readIssuerTenant)
  const [isPassword, setPassword] = useState(tenant === null)
  return (
    <Modal opened onClose={() => {}} withCloseButton={false} closeOnEscape={false} title={words.expiredTitle}>
      <p>{words.expiredText}</p>
      {isPassword || tenant === null ? (
        <PasswordForm email={email} />
      ) : (
        <div className={styles.form}>
          <p className={styles.text}>{words.expiredIssuerText}</p>
          <Button variant="filled" fullWidth data-autofocus onClick={() => openSignIn(tenant)}>
            {words.withIssuer}
          </Button>
          <button type="button" className={styles.link} onClick={() => setPassword(true)}>
            {words.withPassword}
          </button>
        </div>
      )}
    </Modal>
  )
}

/** Opens a sign-in window, which notifies this page after the sign-in. */
function openSignIn(tenant: string) {
  const address = signInWindow(tenant)
  const opened = window.open(address, 'gangway-sign-in', 'popup,width=520,height=720')
  // If the window was blocked, this page itself goes to the sign-in: stored drafts of forms survive that.
  if (opened === null) location.assign(`${address}&${new URLSearchParams({ returnTo: location.href })}`)
}
