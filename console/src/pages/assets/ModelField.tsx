import { links } from '../../links.ts'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { PickOne } from '../../parts/pick/PickOne.tsx'
import { Notice } from '../../parts/State.tsx'
import { useWords } from '../../words/words.tsx'
import { useObjectFinder } from '../access/use-object-finder.ts'
import styles from './Assets.module.css'

interface Props {
  value: string
  onChange: (modelId: string) => void
  error: string | undefined
  /** Explains what the chosen model is for; without it, that it decides what an asset can do. */
  description?: string
}

/** Select field of a model; without one it leads to the models. */
export function ModelField(props: Props) {
  const words = useWords('assets')
  return (
    <PickOne
      {...useObjectFinder('model')}
      label={words.model}
      description={words.modelHint}
      {...props}
      whenNone={
        <Notice kind="info">
          {words.noModel}{' '}
          <PageAnchor link={links.models()} className={styles.inText}>
            {words.toModels}
          </PageAnchor>
        </Notice>
      }
    />
  )
}
