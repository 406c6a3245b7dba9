import { useRouter } from '@tanstack/react-router'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { StateMark } from '../../parts/StateMark.tsx'
import type { Concern } from './concerns.ts'
import styles from './Home.module.css'

/** Row of a concern, whose count links to the page of the counted items if there is one. */
export function ConcernRow({ concern: { name, state, count, text, detail, link } }: { concern: Concern }) {
  const router = useRouter()
  const words = (
    <>
      <strong className={styles.count}>{count}</strong> {text}
    </>
  )
  const isThere = link !== undefined && link.to in router.routesByPath
  return (
    <li className={styles.row}>
      <StateMark state={state}>{name}</StateMark>
      <span className={styles.text}>
        {isThere ? <PageAnchor link={link}>{words}</PageAnchor> : <span>{words}</span>}
        {detail !== undefined && <span className={styles.detail}>{detail}</span>}
      </span>
    </li>
  )
}
