import { Modal } from '@mantine/core'
import { useState } from 'react'
import { links } from '../../../links.ts'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { useExplainedPermission } from '../../../parts/why/Permission.tsx'
import { useWords } from '../../../words/words.tsx'
import { DisabledReason } from '../../models/DisabledReason.tsx'
import type { Dashboard } from '../use-dashboard.ts'
import { LinkList } from './LinkList.tsx'
import { MakeLink } from './MakeLink.tsx'
import styles from './Share.module.css'

/** Dialog that shares a dashboard: with users, by relations, and with screens, by links that need no sign-in. */
export default function ShareDialog({ dashboard, onClose }: { dashboard: Dashboard; onClose: () => void }) {
  // The form has these words. If it waited for them itself, the dialog would appear and vanish until they are there.
  useWords('apiTokens')
  const words = useWords('kiosk')
  const [isShown, setShown] = useState(false)
  const asked = { resourceType: 'dashboard', resourceId: dashboard.id, permission: 'share' } as const
  const isAllowed = useExplainedPermission(asked).data?.result === true
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={words.share}
      // The link would be lost by a stray click or key.
      closeOnClickOutside={!isShown}
      closeOnEscape={!isShown}
    >
      <section className={styles.section}>
        <h3 className={styles.title}>{words.people}</h3>
        <p className={styles.text}>{words.peopleText}</p>
        <PageAnchor link={links.access('dashboard', dashboard.id)}>{words.toAccess}</PageAnchor>
      </section>
      <section className={styles.section}>
        <h3 className={styles.title}>{words.screen}</h3>
        <p className={styles.text}>{words.screenText}</p>
        {isAllowed ? (
          <>
            <MakeLink dashboardId={dashboard.id} onShown={setShown} />
            <LinkList dashboardId={dashboard.id} />
          </>
        ) : (
          <p className={styles.text}>
            {words.mayNotShare} <DisabledReason reason={words.mayNotShare} asked={asked} />
          </p>
        )}
      </section>
    </Modal>
  )
}
