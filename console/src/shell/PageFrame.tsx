import { useQueryClient } from '@tanstack/react-query'
import { Outlet, useMatches } from '@tanstack/react-router'
import { useEffect } from 'react'
import { lazyPart } from '../load-part.ts'
import { LiveProvider } from '../live/LiveProvider.tsx'
import { useFreshData } from '../live/use-fresh-data.ts'
import { useSessionState } from '../session/SessionProvider.tsx'
import { useWords } from '../words/words.tsx'
import type { Catalogue } from '../words/catalogue.ts'
import { OrganizationTheme } from './OrganizationTheme.tsx'
import { PhoneBar } from './PhoneBar.tsx'
import { Rail } from './Rail.tsx'
import { TopBar } from './TopBar.tsx'
import { useAlarmCount, useAlarmSound } from './use-alarm-signals.ts'
import { PartBoundary } from '../parts/PartBoundary.tsx'
import styles from './PageFrame.module.css'

const SignIn = lazyPart(() => import('../session/SignIn.tsx'))
const ExpiredSignIn = lazyPart(() => import('../session/ExpiredSignIn.tsx'))

/** The shell around a page, or the sign-in in its place: the address stays, and so does what it leads to. */
export function PageFrame() {
  const { kind } = useSessionState()
  const cache = useQueryClient()
  useEffect(() => {
    // The next user of this tab may not be allowed to read what this one has read.
    if (kind === 'signed-out') cache.clear()
  }, [cache, kind])
  if (kind === 'starting') return null
  if (kind === 'signed-out') return <SignIn />
  return (
    <LiveProvider>
      <OrganizationTheme />
      <Frame />
      <PartBoundary>{kind === 'expired' && <ExpiredSignIn />}</PartBoundary>
    </LiveProvider>
  )
}

function Frame() {
  const words = useWords('shell')
  useDocumentTitle()
  useAlarmSound()
  useFreshData()
  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#content">
        {words.skip}
      </a>
      <Rail />
      <TopBar />
      <main id="content" tabIndex={-1} className={styles.content}>
        <PartBoundary>
          <Outlet />
        </PartBoundary>
      </main>
      <PhoneBar />
    </div>
  )
}

function useDocumentTitle() {
  const { pages, product } = useWords('shell')
  const data = useMatches().at(-1)?.staticData as { title?: keyof Catalogue['shell']['pages'] } | undefined
  const title = data?.title && pages[data.title]
  const alarms = useAlarmCount()
  useEffect(() => {
    const page = title ? `${title} · ${product}` : product
    document.title = alarms > 0 ? `(${alarms}) ${page}` : page
  }, [title, product, alarms])
}
