import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { lazyPart } from '../load-part.ts'
import { useFormat } from '../format.ts'
import { Icon } from '../parts/Icon.tsx'
import { PartBoundary } from '../parts/PartBoundary.tsx'
import { onFirstUse } from '../parts/on-first-use.tsx'
import { useWords } from '../words/words.tsx'
import { LiveMark } from './LiveMark.tsx'
import { useOrganization } from './OrganizationTheme.tsx'
import styles from './TopBar.module.css'

const Palette = lazyPart(() => import('./Palette.tsx'))
const ZonePicker = onFirstUse(() => import('./ZonePicker.tsx'))
const UserMenu = onFirstUse(() => import('./UserMenu.tsx'))
const isMac = navigator.platform.startsWith('Mac')

export function TopBar() {
  const words = useWords('shell')
  const [isPaletteOpen, palette] = useDisclosure()
  const { zone } = useFormat()
  const organization = useOrganization()
  useHotkeys([['mod+K', palette.open]], [])
  return (
    <section className={styles.bar} aria-label={words.topBar}>
      <span className={styles.organization} title={organization}>
        <span className="visually-hidden">{words.organization}: </span>
        <bdi>{organization}</bdi>
      </span>
      <button type="button" className={styles.search} onClick={palette.open} aria-keyshortcuts="Control+K">
        <Icon name="search" />
        <span className={styles.searchText}>{words.search}</span>
        <kbd>{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <div className={styles.end}>
        <LiveMark />
        <ZonePicker
          button={
            <button
              type="button"
              className={styles.button}
              aria-label={`${words.zone}: ${zone}`}
              title={words.zone}
            >
              <Icon name="zone" />
              <span className={styles.wide}>{zone}</span>
            </button>
          }
        />
        <UserMenu
          button={
            <button type="button" className={styles.button} aria-label={words.user} title={words.user}>
              <Icon name="user" />
            </button>
          }
        />
      </div>
      {isPaletteOpen && (
        <PartBoundary>
          <Palette onClose={palette.close} />
        </PartBoundary>
      )}
    </section>
  )
}
