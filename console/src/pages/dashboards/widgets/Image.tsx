import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { Refusal } from '../../../parts/Refusal.tsx'
import { useObjectUrl } from '../../../parts/use-object-url.ts'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import type { Widget } from '../board/board.ts'
import type { WidgetKind } from './kind.ts'
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

const TIMEOUT_MS = 30_000

/** A picture of the shared resources. It is read with the token of the user, which an address cannot carry. */
function Image({ widget }: { widget: Widget }) {
  const words = useWords('dashboards')
  const api = useApi()
  const { resourceId, fit = 'contain', alt } = widget.options as ImageOptions
  const [isBroken, setBroken] = useState(false)
  const file = useQuery({
    queryKey: ['resource-file', resourceId],
    queryFn: async ({ signal }) => {
      const response = await api.request('get', '/v1/resources/download/{resourceId}', {
        path: { resourceId: resourceId! },
        signal: withTimeout(signal, TIMEOUT_MS),
      })
      return response.blob()
    },
    enabled: resourceId !== undefined,
    staleTime: Infinity,
    structuralSharing: false,
  })
  const address = useObjectUrl(file.data)
  if (resourceId === undefined) return <WidgetNote>{words.noPicture}</WidgetNote>
  if (file.error !== null) return <Refusal error={file.error} />
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
