import type { Item } from '@gangway/client'
import { Fragment } from 'react'
import { useWords } from '../../words/words.tsx'
import styles from './Assets.module.css'
import { type Place, placeOf } from './place.ts'

type Step = Item<'/v1/tree/places'>['path'][number]

/** Only the ends of a path with more steps than this are shown. */
const SHOWN_STEPS = 4

/** Path from the top of the tree to a place, with a button for each step. */
export function Way({ path, onGo }: { path: Step[]; onGo: (place: Place | null) => void }) {
  const words = useWords('assets')
  const hidden = Math.max(0, path.length - SHOWN_STEPS)
  const shown = hidden === 0 ? path : [path[0]!, ...path.slice(-SHOWN_STEPS + 1)]
  return (
    <div role="group" className={styles.way} aria-label={words.way}>
      <button type="button" onClick={() => onGo(null)}>
        {words.all}
      </button>
      {shown.map((step, index) => (
        <Fragment key={`${step.type} ${step.id}`}>
          <span aria-hidden>›</span>
          {hidden > 0 && index === 1 && (
            <>
              <span title={words.hiddenLevels(hidden + 1)}>…</span>
              <span aria-hidden>›</span>
            </>
          )}
          <button type="button" title={step.displayName} onClick={() => onGo(placeOf(step))}>
            <bdi>{step.displayName}</bdi>
          </button>
        </Fragment>
      ))}
    </div>
  )
}
