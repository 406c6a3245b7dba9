import { useDisclosure } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { lazyPart } from '../load-part.ts'
import { Icon } from '../parts/Icon.tsx'
import { PartBoundary } from '../parts/PartBoundary.tsx'
import { routes } from '../routes/routes.ts'
import { useWords } from '../words/words.tsx'
import styles from './PhoneBar.module.css'

const MorePages = lazyPart(() => import('./MorePages.tsx'))

/** The map of the console on a phone: four pages, and the rest under "More". */
export function PhoneBar() {
  const words = useWords('shell')
  const [isOpen, { open, close }] = useDisclosure()
  const pages = routes.filter(({ rail }) => rail !== undefined)
  const shown = pages.filter(({ rail }) => rail!.isOnPhone).slice(0, 4)
  const others = pages.filter((page) => !shown.includes(page))
  return (
    <nav className={styles.bar} aria-label={words.navigation}>
      {shown.map(({ path, title, rail }) => (
        <Link key={path} to={path} className={styles.item} activeProps={{ 'aria-current': 'page' }}>
          <Icon name={rail!.icon} size={20} />
          {words.pages[title]}
        </Link>
      ))}
      {others.length > 0 && (
        <button type="button" className={styles.item} onClick={open}>
          <Icon name="more" size={20} />
          {words.more}
        </button>
      )}
      {isOpen && (
        <PartBoundary>
          <MorePages pages={others} onClose={close} />
        </PartBoundary>
      )}
    </nav>
  )
}
