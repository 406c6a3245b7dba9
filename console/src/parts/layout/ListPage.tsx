import type { ReactNode } from 'react'
import type { PageLink } from '../../links.ts'
import { Icon } from '../Icon.tsx'
import { PageAnchor } from '../PageAnchor.tsx'
import styles from './Page.module.css'

export interface PageHeadProps {
  /** The page above it. */
  parent?: { title: string; link: PageLink } | undefined
  title: string
  /** One sentence of what this is; leave it out once there are entries. */
  text?: string
  /** Two or three buttons. */
  actions?: ReactNode
}

/** A title and a list that fills the rest of the page. */
export const ListPage = ({ children, ...head }: PageHeadProps & { children: ReactNode }) => (
  <div className={styles.page} data-fill>
    <PageHead {...head} />
    {children}
  </div>
)

export const PageHead = ({ parent, title, text, actions }: PageHeadProps) => (
  <>
    {parent !== undefined && (
      <PageAnchor link={parent.link} className={styles.parent}>
        <Icon name="back" size={14} />
        <bdi>{parent.title}</bdi>
      </PageAnchor>
    )}
    <header className={styles.head}>
      <div className={styles.titles}>
        <h1 className={styles.title}>
          <bdi>{title}</bdi>
        </h1>
        {text !== undefined && <p className={styles.text}>{text}</p>}
      </div>
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
    </header>
  </>
)
