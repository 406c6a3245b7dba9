import { useEffect, useState } from 'react'
import { send } from '../api/send.ts'
import { Refusal } from '../parts/Refusal.tsx'
import { useWords } from '../words/words.tsx'
import type { Catalogue } from '../words/catalogue.ts'
import { Card } from './Card.tsx'
import styles from './Card.module.css'
import { goToIssuer, redirectUri, rememberIssuerTenant, takeWaiting } from './oidc.ts'
import { useSession } from './SessionProvider.tsx'

type Words = Catalogue['shell']['signIn']

/** The page to which the issuer redirects. A sign-in window also starts here. */
export default function OidcCallback() {
  const words = useWords('shell').signIn
  const session = useSession()
  const [failure, setFailure] = useState<unknown>(null)
  const [isDone, setDone] = useState(false)
  // A code works once, and effects may run twice.
  const [start] = useState(() => once(() => step(session.signIn, words)))
  useEffect(() => {
    start().then((isFinished) => setDone(isFinished), setFailure)
  }, [start])
  const title = failure === null ? (isDone ? words.closeTitle : words.returning) : words.title
  return (
    <Card title={title} text={isDone ? words.closeText : undefined}>
      {failure !== null && (
        <div className={styles.form}>
          <Refusal error={failure} />
          <a href="/console/">{words.back}</a>
        </div>
      )}
    </Card>
  )
}

/** @returns whether the window may be closed; otherwise the browser is redirected */
async function step(signIn: (path: string, body: object) => Promise<void>, words: Words): Promise<boolean> {
  const address = new URLSearchParams(location.search)
  const tenant = address.get('tenant')
  if (tenant !== null && !address.has('state')) {
    const returnTo = ownAddress(address.get('returnTo'))
    await goToIssuer(send, { tenant, returnTo, explainSilence: words.issuerSilent })
    return false
  }
  const returnTo = await finish(signIn, address, words)
  if (returnTo === null) window.close()
  else location.replace(returnTo)
  return returnTo === null
}

async function finish(
  signIn: (path: string, body: object) => Promise<void>,
  answer: URLSearchParams,
  words: Words,
): Promise<string | null> {
  const waiting = takeWaiting(answer.get('state'))
  const refusal = answer.get('error')
  if (refusal !== null) throw new Error(words.issuerRefused(answer.get('error_description') ?? refusal))
  const code = answer.get('code')
  if (waiting === null || code === null) throw new Error(words.stateMismatch)
  const { tenant, codeVerifier, returnTo } = waiting
  await signIn('/v1/auth/oidc', { tenant, code, codeVerifier, redirectUri: redirectUri() })
  rememberIssuerTenant(tenant)
  return returnTo
}

/** Accepts only addresses of this console, so that a manipulated link cannot redirect to another site. */
const ownAddress = (address: string | null) =>
  address !== null && address.startsWith(`${location.origin}/console/`) ? address : null

function once<T>(task: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  return () => (running ??= task())
}
