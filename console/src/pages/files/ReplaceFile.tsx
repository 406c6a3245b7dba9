import { Button, Group, Modal, Progress } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useUploadApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { DraftGuard } from '../../parts/form/DraftGuard.tsx'
import { Refusal } from '../../parts/Refusal.tsx'
import { useWords } from '../../words/words.tsx'
import { FilePicker } from './FilePicker.tsx'
import styles from './Files.module.css'
import type { Resource } from './resource.ts'
import { useUses } from './use-uses.ts'

/** Replaces the content of a file, which keeps its id. What uses it has the new content from then on. */
export function ReplaceFile({ resource, isDisabled }: { resource: Resource; isDisabled: boolean }) {
  const { replace: words } = useWords('files')
  const [file, setFile] = useState<File | null>(null)
  return (
    <>
      <FilePicker
        label={words.action}
        isDisabled={isDisabled}
        onFiles={([chosen]) => setFile(chosen ?? null)}
      />
      {file !== null && <ReplaceDialog resource={resource} file={file} onClose={() => setFile(null)} />}
    </>
  )
}

function ReplaceDialog(props: { resource: Resource; file: File; onClose: () => void }) {
  const { resource, file, onClose } = props
  const { replace: words } = useWords('files')
  const common = useWords('common')
  const format = useFormat()
  const openApi = useUploadApi()
  const cache = useQueryClient()
  const uses = useUses(resource.id)
  const [share, setShare] = useState<number | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const isRunning = share !== null
  const send = async () => {
    const controller = new AbortController()
    running.current = controller
    setShare(0)
    setFailure(null)
    const body = new FormData()
    body.append('file', file)
    try {
      const path = { resourceId: resource.id }
      const saved = await openApi(setShare).put('/v1/resources/upload/{resourceId}', {
        path,
        body,
        signal: controller.signal,
      })
      cache.setQueryData(['resource', resource.id], saved)
      void cache.invalidateQueries({ queryKey: ['resources'] })
      void cache.invalidateQueries({ queryKey: ['resource-file', resource.id] })
      onClose()
    } catch (error) {
      if (!controller.signal.aborted) setFailure(error)
      setShare(null)
    }
  }
  return (
    <Modal
      opened
      onClose={isRunning ? () => {} : onClose}
      withCloseButton={!isRunning}
      title={words.title}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      <DraftGuard isChanged={isRunning} />
      <div className={styles.fields}>
        <p>{words.text(file.name, format.bytes(file.size), format.bytes(resource.metadata.size))}</p>
        {uses.data !== undefined && uses.data.length > 0 && <p>{words.used(uses.data.length)}</p>}
        {isRunning && <Progress value={share * 100} aria-label={words.progress} />}
        {failure !== null && <Refusal error={failure} />}
        <Group justify="flex-end">
          <Button onClick={isRunning ? () => running.current?.abort() : onClose}>{common.cancel}</Button>
          <Button variant="filled" loading={isRunning} onClick={() => void send()}>
            {words.action}
          </Button>
        </Group>
      </div>
    </Modal>
  )
}
