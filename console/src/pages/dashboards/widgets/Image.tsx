import { useState } from 'react'
import { Refusal } from '../../../parts/Refusal.tsx'
import { useWords } from '../../../words/words.tsx'
import type { Widget } from '../board/board.ts'
import type { WidgetKind } from './kind.ts'
import { usePicture } from './use-picture.ts'
import { WidgetLoading, WidgetNote } from './WidgetState.tsx'
import styles from './Widgets.module.css'

export const image: WidgetKind = {
  kind: 'image',
  icon: 'files',
  size: { w: 4, h: 4 },
  View: Image,
  fields: ['resource'],
  initial: {},
}

interface ImageOptions {
  resourceId?: string
  fit?: 'contain' | 'cover'
  alt?: string
}

/** A picture of the shared resources. */
function Image({ widget }: { widget: Widget }) {
  const words = useWords('dashboards')
  const { resourceId, fit = 'contain', alt } = widget.options as ImageOptions
  const [isBroken, setBroken] = useState(false)
  const { address, error } = usePicture(resourceId)
  if (resourceId === undefined) return <WidgetNote>{words.noPicture}</WidgetNote>
  if (error !== null) return <Refusal error={error} />
  if (isBroken) return <WidgetNote>{words.notAPicture}</WidgetNote>
  if (address === null) return <WidgetLoading />
  return (
    <img
      className={styles.image}
      src={address}
      alt={alt ?? widget.title ?? words.kinds.image}
      style={{ objectFit: fit }}
      onError={() => setBroken(true)}
    />
  )
}
