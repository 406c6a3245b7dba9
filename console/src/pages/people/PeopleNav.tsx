import { Link } from '@tanstack/react-router'
import { links, type PageLink } from '../../links.ts'
import { useWords } from '../../words/words.tsx'
import styles from './People.module.css'

/** Links between the pages about people and how they and their programs sign in. */
export function PeopleNav() {
  const words = useWords('people')
  const pages: [string, PageLink][] = [
    [words.users, links.people()],
    [words.groups, links.userGroups()],
    [words.signIn.nav, links.signInAt()],
    [words.tokens, links.apiTokens()],
  ]
  return (
    <nav className={styles.nav} aria-label={words.sections}>
      {pages.map(([name, link]) => (
        <Link
          key={name}
          {...(link as { to: string })}
          className={styles.navLink}
          activeOptions={{ includeSearch: false, exact: true }}
          activeProps={{ 'aria-current': 'page' }}
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}
