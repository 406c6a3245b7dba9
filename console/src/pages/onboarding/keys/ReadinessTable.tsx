import { useFormat } from '../../../format.ts'
import { links } from '../../../links.ts'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { Failed, Loading, Notice } from '../../../parts/State.tsx'
import { StateMark } from '../../../parts/StateMark.tsx'
import { useWords } from '../../../words/words.tsx'
import { type Readiness, useReadiness } from '../groups/use-readiness.ts'
import shared from '../Onboarding.module.css'
import type { Group } from '../use-groups.ts'
import styles from './Keys.module.css'
import { sumKinds } from './sum-kinds.ts'
import type { Keys } from './use-keys.ts'

const rows = [
  ['primary', 'old_key'],
  ['secondary', 'ready'],
  ['replaced', 'replaced_key'],
] as const

/** The number of devices by the key that they used last; each number links to its list. */
export function ReadinessTable({ group, keys }: { group: Group; keys: Keys }) {
  const words = useWords('keys')
  const common = useWords('common')
  const format = useFormat()
  const readiness = useReadiness(group.id)
  return (
    <section className={shared.stack} aria-label={words.readiness}>
      <h2 className={shared.subtitle}>{words.readiness}</h2>
      <p className={shared.note}>{words.readinessText}</p>
      {readiness.isPending && <Loading rows={3} />}
      {readiness.data === undefined && readiness.error !== null && (
        <Failed error={readiness.error} onRetry={() => void readiness.refetch()} />
      )}
      {readiness.data !== undefined && (
        <>
          {readiness.error !== null && <Notice kind="warning">{common.refreshFailed}</Notice>}
          <Verdict readiness={readiness.data} hasSecond={keys.secondary_key !== null} />
          <Counts group={group} readiness={readiness.data} />
          <p className={shared.small}>{common.asOf(format.time(readiness.dataUpdatedAt))}</p>
        </>
      )}
    </section>
  )
}

function Verdict({ readiness, hasSecond }: { readiness: Readiness; hasSecond: boolean }) {
  const words = useWords('keys')
  const format = useFormat()
  const { devices, secondary } = readiness
  if (devices === 0) return <p>{words.noDevices}</p>
  if (!hasSecond) return <p>{words.noSecond}</p>
  const ready = sumKinds(secondary)
  return (
    <div>
      <StateMark state={readiness.ready_to_flip ? 'good' : 'warning'}>
        {readiness.ready_to_flip
          ? words.readyToFlip
          : words.notReady(format.number(ready), format.number(devices))}
      </StateMark>
    </div>
  )
}

function Counts({ group, readiness }: { group: Group; readiness: Readiness }) {
  const words = useWords('keys')
  const format = useFormat()
  const raw = rows.reduce((sum, [place]) => sum + readiness[place].bootstrap, 0)
  const derived = rows.reduce((sum, [place]) => sum + readiness[place].derived, 0)
  const linkTo = (count: number, key: string) => (
    <PageAnchor link={links.onboardingDevices({ group: group.id, ...(key !== '' && { key }) })}>
      {format.number(count)}
    </PageAnchor>
  )
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">{words.usedLast}</th>
          <th scope="col" data-end>
            {words.kinds.derived}
          </th>
          <th scope="col" data-end>
            {words.kinds.bootstrap}
          </th>
          <th scope="col" data-end>
            {words.devices}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([place, key]) => (
          <tr key={place}>
            <th scope="row">{words.places[place]}</th>
            <td data-end>{format.number(readiness[place].derived)}</td>
            <td data-end>{format.number(readiness[place].bootstrap)}</td>
            <td data-end>{linkTo(sumKinds(readiness[place]), key)}</td>
          </tr>
        ))}
        <tr>
          <th scope="row">{words.places.unseen}</th>
          <td />
          <td />
          <td data-end>{linkTo(readiness.unseen, 'unseen')}</td>
        </tr>
        <tr>
          <th scope="row">{words.all}</th>
          <td data-end>{format.number(derived)}</td>
          <td data-end>{linkTo(raw, 'raw_key')}</td>
          <td data-end>{linkTo(readiness.devices, '')}</td>
        </tr>
      </tbody>
    </table>
  )
}
