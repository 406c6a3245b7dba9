import { Drawer } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Icon } from '../parts/Icon.tsx'
import type { PageRoute } from '../routes/page-route.ts'
import { useWords } from '../words/words.tsx'
import styles from './PhoneBar.module.css'

/** The pages that have no place in the bar of a phone. */
export default function MorePages({ pages, onClose }: { pages: PageRoute[]; onClose: () => void }) {
  const words = useWords('shell')
  return (
    <Drawer opened onClose={onClose} position="bottom" title={words.more} size="auto">
      <ul className={styles.list}>
        {pages.map(({ path, title, rail }) => (
          <li key={path}>
            <Link to={path} className={styles.entry} onClick={onClose}>
              <Icon name={rail!.icon} />
              {words.pages[title]}
            </Link>
          </li>
        ))}
      </ul>
    </Drawer>
  )
}
