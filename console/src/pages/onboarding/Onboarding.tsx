import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useFormat } from '../../format.ts'
import { links, type PageLink } from '../../links.ts'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { listExample } from '../../parts/code/example.ts'
import { PageHead } from '../../parts/layout/ListPage.tsx'
import page from '../../parts/layout/Page.module.css'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { useWords } from '../../words/words.tsx'
import styles from './Overview.module.css'
import { SectionNav } from './Section.tsx'
import { useGroups, useTargets } from './use-groups.ts'

/** The steps of onboarding in order, each with the existing objects. */
export default function Onboarding() {
  const words = useWords('onboarding')
  return (
    <>
      <SectionNav />
      <div className={page.page}>
        <PageHead
          title={words.title}
          text={words.what}
          actions={
            <>
              <CodeExamples
                requests={[listExample('/api/routing-targets'), listExample('/api/enrollment-groups')]}
              />
              <Button
                variant="filled"
                renderRoot={(props) => <Link {...props} {...(links.firstDevice() as { to: string })} />}
              >
                {words.begin}
              </Button>
            </>
          }
        />
        <ol className={styles.steps}>
          <Step number={1} name={words.targets} link={links.targets()} text={words.steps.targets}>
            <TargetCount />
          </Step>
          <Step number={2} name={words.groups} link={links.groups()} text={words.steps.groups}>
            <GroupCount />
          </Step>
          <Step number={3} name={words.keys} link={links.keys()} text={words.steps.keys} />
          <Step number={4} name={words.devices} link={links.onboardingDevices()} text={words.steps.devices} />
        </ol>
        <h2 className={styles.later}>{words.laterTitle}</h2>
        <ul className={styles.steps}>
          <Step name={words.certificates} link={links.certificates()} text={words.later.certificates} />
          <Step name={words.trace} link={links.trace()} text={words.later.trace} />
        </ul>
      </div>
    </>
  )
}

interface StepProps {
  number?: number
  name: string
  link: PageLink
  text: string
  /** The existing objects of the step. */
  children?: ReactNode
}

const Step = ({ number, name, link, text, children }: StepProps) => (
  <li className={styles.step}>
    <span className={styles.number} aria-hidden>
      {number}
    </span>
    <div>
      <PageAnchor link={link} className={styles.name}>
        {name}
      </PageAnchor>
      <p className={styles.text}>{text}</p>
    </div>
    <div className={styles.count}>{children}</div>
  </li>
)

function TargetCount() {
  const { counts } = useWords('onboarding')
  const format = useFormat()
  const { targets, isCut } = useTargets()
  if (targets === undefined) return null
  return (
    <PageAnchor link={links.targets()}>
      {counts.targets(targets.length, format.number(targets.length) + (isCut ? '+' : ''))}
    </PageAnchor>
  )
}

function GroupCount() {
  const { counts } = useWords('onboarding')
  const format = useFormat()
  const { groups, isCut } = useGroups()
  if (groups === undefined) return null
  const disabled = groups.filter(({ status }) => status === 'disabled').length
  return (
    <>
      <PageAnchor link={links.groups()}>
        {counts.groups(groups.length, format.number(groups.length) + (isCut ? '+' : ''))}
      </PageAnchor>
      {disabled > 0 && `, ${counts.disabled(format.number(disabled))}`}
    </>
  )
}
