import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Icon } from '../parts/Icon.tsx'
import { usePreferences } from '../preferences.tsx'
import type { PageRoute } from '../routes/page-route.ts'
import { routes } from '../routes/routes.ts'
import { useWords } from '../words/words.tsx'
import { Mark } from './Mark.tsx'
import { readPicturePath, useTheme } from './OrganizationTheme.tsx'
import styles from './Rail.module.css'

const groups = ['operate', 'set-up', 'administer'] as const

/** The map of the console, on the left. */
export function Rail() {
  const words = useWords('shell')
  const { preferences, change } = usePreferences()
  const isNarrow = preferences.isRailNarrow
  const toggle = isNarrow ? words.expand : words.collapse
  return (
    <nav className={styles.rail} aria-label={words.navigation} data-narrow={isNarrow || undefined}>
      <Link to="/" className={styles.product}>
        <Logo />
        <span className={isNarrow ? 'visually-hidden' : undefined}>{words.product}</span>
      </Link>
      {groups.map((group) => (
        <RailGroup key={group} group={group} isNarrow={isNarrow} />
      ))}
      <button
        className={styles.toggle}
        type="button"
        aria-label={toggle}
        title={toggle}
        onClick={() => change({ isRailNarrow: !isNarrow })}
      >
        <Icon name="rail" />
      </button>
    </nav>
  )
}

function RailGroup({ group, isNarrow }: { group: (typeof groups)[number]; isNarrow: boolean }) {
  const words = useWords('shell')
  const pages = routes.filter(({ rail }) => rail?.group === group)
  if (pages.length === 0) return null
  return (
    <section className={styles.group}>
      <h2 className={isNarrow ? 'visually-hidden' : styles.heading}>{words.groups[group]}</h2>
      <ul>
        {pages.map((page) => (
          <li key={page.path}>
            <RailLink page={page} isNarrow={isNarrow} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function RailLink({ page, isNarrow }: { page: PageRoute; isNarrow: boolean }) {
  const title = useWords('shell').pages[page.title]
  return (
    <Link
      to={page.path}
      className={styles.link}
      activeProps={{ 'aria-current': 'page' }}
      title={isNarrow ? title : undefined}
    >
      <Icon name={page.rail!.icon} />
      <span className={isNarrow ? 'visually-hidden' : undefined}>{title}</span>
    </Link>
  )
}

/** The logo of the organization's theme, or the mark of Gangway. */
function Logo() {
  const theme = useTheme()
  const path = readPicturePath(theme?.logoUrl)
  const [broken, setBroken] = useState<string | null>(null)
  if (path === undefined || path === broken) return <Mark />
  // The name of the product stands beside it.
  return <img src={path} alt="" className={styles.logo} onError={() => setBroken(path)} />
}
