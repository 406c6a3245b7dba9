import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { CodeBlock } from '../../parts/code/CodeBlock.tsx'
import { Empty, Failed, Loading, Notice } from '../../parts/State.tsx'
import { useObjectUrl } from '../../parts/use-object-url.ts'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Files.module.css'
import type { Resource } from './resource.ts'

const MOST_PICTURE_BYTES = 10_000_000
const MOST_TEXT_BYTES = 65_536
const TIMEOUT_MS = 60_000

/** A picture or a text as it is; of other files, why there is nothing to see. */
export default function Preview({ resource }: { resource: Resource }) {
  const words = useWords('files')
  const format = useFormat()
  const { contentType, size } = resource.metadata
  const isPicture = contentType.startsWith('image/')
  const isText =
    contentType.startsWith('text/') || /^application\/(?:[\w.-]+\+)?(?:json|xml|yaml)$/.test(contentType)
  if (size === 0) return <Empty icon="files" title={words.emptyFile} />
  if (isText) return <TextPreview resource={resource} />
  if (!isPicture) return <Empty icon="files" title={words.notShownTitle} text={words.notShown(contentType)} />
  if (size > MOST_PICTURE_BYTES)
    return (
      <Empty
        icon="files"
        title={words.notShownTitle}
        text={words.tooLarge(format.bytes(MOST_PICTURE_BYTES))}
      />
    )
  return <PicturePreview resource={resource} />
}

/** The bytes of the file as it is now: another content is read again. */
function useContent({ id, metadata }: Resource, headers: Record<string, string>) {
  const api = useApi()
  return useQuery({
    queryKey: ['resource-content', id, metadata.sha256],
    queryFn: async ({ signal }) => {
      const answer = await api.request('get', '/v1/resources/download/{resourceId}', {
        path: { resourceId: id },
        headers,
        signal: withTimeout(signal, TIMEOUT_MS),
      })
      return answer.blob()
    },
    staleTime: Infinity,
    gcTime: 0,
    structuralSharing: false,
  })
}

function PicturePreview({ resource }: { resource: Resource }) {
  const words = useWords('files')
  const content = useContent(resource, {})
  const address = useObjectUrl(content.data)
  const [isBroken, setBroken] = useState(false)
  if (content.error !== null) return <Failed error={content.error} onRetry={() => void content.refetch()} />
  if (isBroken) return <Empty icon="files" title={words.notShownTitle} text={words.broken} />
  if (address === null) return <Loading />
  return (
    <div className={styles.scroll}>
      <div>
        <img
          className={styles.picture}
          src={address}
          alt={resource.displayName}
          onError={() => setBroken(true)}
        />
      </div>
    </div>
  )
}

function TextPreview({ resource }: { resource: Resource }) {
  const words = useWords('files')
  const format = useFormat()
  const content = useContent(resource, { range: `bytes=0-${MOST_TEXT_BYTES - 1}` })
  const text = useQuery({
    queryKey: ['resource-text', resource.id, resource.metadata.sha256],
    queryFn: () => content.data!.text(),
    enabled: content.data !== undefined,
    gcTime: 0,
  })
  if (content.error !== null) return <Failed error={content.error} onRetry={() => void content.refetch()} />
  if (text.data === undefined) return <Loading />
  const { size } = resource.metadata
  return (
    <div className={styles.scroll}>
      {size > MOST_TEXT_BYTES && (
        <Notice kind="info">{words.textCut(format.bytes(MOST_TEXT_BYTES), format.bytes(size))}</Notice>
      )}
      <CodeBlock code={text.data} name={resource.displayName} />
    </div>
  )
}
