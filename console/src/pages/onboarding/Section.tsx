import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { links, type PageLink } from '../../links.ts'
import { useWords } from '../../words/words.tsx'
import styles from './Section.module.css'

/** Links to the onboarding pages, in the order of the onboarding steps. */
export function SectionNav({ groupId }: { groupId?: string }) {
  const words = useWords('onboarding')
  const chosen = groupId ? { group: groupId } : undefined
  const steps: [string, PageLink][] = [
    [words.targets, links.targets()],
    [words.groups, links.groups()],
    [words.keys, links.keys(chosen)],
    [words.devices, links.onboardingDevices(chosen)],
  ]
  const others: [string, PageLink][] = [
    [words.certificates, links.certificates()],
    [words.trace, links.trace()],
    [words.firstDevice, links.firstDevice()],
  ]
  const nav = useRef<HTMLElement>(null)
  // On a narrow screen the link of the current page may be outside the visible part.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ inline: 'nearest', block: 'nearest' })
  }, [])
  return (
    <nav ref={nav} className={styles.section} aria-label={words.title}>
      <ol className={styles.steps}>
        {steps.map(([name, link], index) => (
          <li key={name}>
            <SectionLink link={link}>
              <span className={styles.number} aria-hidden>
                {index + 1}
              </span>
              {name}
            </SectionLink>
          </li>
        ))}
      </ol>
      <ul className={styles.others}>
        {others.map(([name, link]) => (
          <li key={name}>
            <SectionLink link={link}>{name}</SectionLink>
          </li>
        ))}
      </ul>
    </nav>
  )
}

const SectionLink = ({ link, children }: { link: PageLink; children: React.ReactNode }) => (
  <Link
    {...(link as { to: string })}
    className={styles.link}
    activeOptions={{ includeSearch: false }}
    activeProps={{ 'aria-current': 'page' }}
  >
    {children}
  </Link>
)
