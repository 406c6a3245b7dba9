import { Button } from '@mantine/core'
import type { Answer } from '@gangway/client'
import { useEffect, useRef, useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { DraftGuard } from '../../../parts/form/DraftGuard.tsx'
import { Id, Name } from '../../../parts/Id.tsx'
import { Refusal } from '../../../parts/Refusal.tsx'
import { Notice } from '../../../parts/State.tsx'
import { useWords } from '../../../words/words.tsx'
import styles from '../Firmware.module.css'

interface Props {
  organizationId: string
  fileResourceId: string | null
  fileName: string
  isMissing: boolean
  isReadOnly: boolean
  onChange: (file: { fileResourceId: string | null; fileName: string }) => void
  onUploading: (isUploading: boolean) => void
  error: string | undefined
}

type Uploaded = Answer<'post', '/v1/firmware/files'>

/** The firmware file of a release, which is uploaded when it is chosen. */
export function FileField(props: Props) {
  const { fileResourceId, fileName, isMissing, isReadOnly, onChange, error } = props
  const { release: words } = useWords('firmware')
  const format = useFormat()
  const input = useRef<HTMLInputElement>(null)
  const upload = useUpload(props)
  const { uploaded } = upload
  const isNew = uploaded !== null && uploaded.id === fileResourceId
  return (
    <div className={styles.block} role="group" aria-label={words.file}>
      <span className={styles.label}>{words.file}</span>
      {isMissing && !isNew && fileResourceId !== null && <Notice kind="warning">{words.fileMissing}</Notice>}
      <div className={styles.line}>
        {fileResourceId === null ? (
          <span className={styles.quiet}>{words.noFile}</span>
        ) : (
          <Name>{fileName || fileResourceId}</Name>
        )}
        {isNew && (
          <span className={styles.quiet}>{words.uploaded(format.bytes(uploaded.metadata.size))}</span>
        )}
      </div>
      {isNew && <Id value={uploaded.metadata.sha256} name={words.sha256} />}
      {upload.running !== null && <p role="status">{words.uploading(upload.running)}</p>}
      {upload.running !== null && error !== undefined && <p className={styles.problem}>{error}</p>}
      {upload.failure !== null && <Refusal error={upload.failure} />}
      <DraftGuard isChanged={upload.running !== null} isKept={false} />
      {!isReadOnly && (
        <div className={styles.line}>
          {upload.running === null ? (
            <Button onClick={() => input.current!.click()}>
              {fileResourceId === null ? words.chooseFile : words.replaceFile}
            </Button>
          ) : (
            <Button onClick={upload.cancel}>{words.cancelUpload}</Button>
          )}
          {fileResourceId !== null && upload.running === null && (
            <Button onClick={() => onChange({ fileResourceId: null, fileName: '' })}>
              {words.removeFile}
            </Button>
          )}
          <span className={styles.quiet}>{words.fileHint}</span>
          <input
            ref={input}
            type="file"
            hidden
            aria-label={words.chooseFile}
            onChange={(event) => {
              const [file] = event.currentTarget.files ?? []
              if (file !== undefined) void upload.start(file)
              // The reset allows the same file to be chosen again.
              event.currentTarget.value = ''
            }}
          />
        </div>
      )}
    </div>
  )
}

function useUpload({ organizationId, onChange, onUploading }: Props) {
  const api = useApi()
  const [running, setRunning] = useState<string | null>(null)
  const [uploaded, setUploaded] = useState<Uploaded | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const controller = useRef<AbortController | null>(null)
  useEffect(() => () => controller.current?.abort(), [])
  const start = async (file: File) => {
    const own = new AbortController()
    controller.current = own
    setRunning(file.name)
    onUploading(true)
    setFailure(null)
    const body = new FormData()
    body.append('organizationId', organizationId)
    body.append('file', file)
    try {
      const resource = await api.post('/v1/firmware/files', { body, signal: own.signal })
      setUploaded(resource)
      onChange({ fileResourceId: resource.id, fileName: resource.originalFileName ?? file.name })
    } catch (error) {
      if (!own.signal.aborted) setFailure(error)
    } finally {
      setRunning(null)
      onUploading(false)
    }
  }
  return { running, uploaded, failure, start, cancel: () => controller.current?.abort() }
}
