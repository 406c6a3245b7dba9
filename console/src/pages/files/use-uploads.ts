import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useUploadApi } from '../../api/ApiProvider.tsx'
import type { Resource } from './resource.ts'

export interface Upload {
  /** Unique on this page. */
  key: number
  file: File
  state: 'waiting' | 'sending' | 'done' | 'failed' | 'canceled'
  /** The sent part of the file, from 0 to 1. */
  share: number
  /** Set once it is done. */
  resource?: Resource
  /** Set if it failed. */
  error?: unknown
}

/** The fields of the form that all files share. */
interface UploadFields {
  organizationId: string
  tags: Record<string, string>
}

/** Uploads files one after the other; one that fails does not stop the others. */
export function useUploads() {
  const openApi = useUploadApi()
  const cache = useQueryClient()
  const [uploads, setUploads] = useState<Upload[]>([])
  const [isRunning, setRunning] = useState(false)
  const nextKey = useRef(0)
  const running = useRef<AbortController | null>(null)
  // A dialog that is removed with its page sends nothing more.
  useEffect(() => () => running.current?.abort(), [])
  const change = (key: number, changes: Partial<Upload>) =>
    setUploads((present) => present.map((one) => (one.key === key ? { ...one, ...changes } : one)))

  const send = async ({ key, file }: Upload, fields: UploadFields, signal: AbortSignal) => {
    change(key, { state: 'sending', share: 0, error: undefined })
    try {
      const api = openApi((share) => change(key, { share }))
      const resource = await api.post('/v1/resources/upload', { body: writeForm(file, fields), signal })
      change(key, { state: 'done', share: 1, resource })
    } catch (error) {
      change(key, signal.aborted ? { state: 'canceled' } : { state: 'failed', error })
    }
  }

  return {
    uploads,
    isRunning,
    add: (files: Iterable<File>) => {
      const added = [...files].map((file): Upload => {
        nextKey.current += 1
        return { key: nextKey.current, file, state: 'waiting', share: 0 }
      })
      setUploads((present) => [...present, ...added])
    },
    remove: (key: number) => setUploads((present) => present.filter((one) => one.key !== key)),
    /** Sends what waits, and what failed or was canceled once more. */
    start: async (fields: UploadFields) => {
      const controller = new AbortController()
      running.current = controller
      setRunning(true)
      for (const upload of uploads.filter(({ state }) => state !== 'done'))
        if (!controller.signal.aborted) await send(upload, fields, controller.signal)
      setRunning(false)
      await cache.invalidateQueries({ queryKey: ['resources'] })
    },
    cancel: () => running.current?.abort(),
  }
}

function writeForm(file: File, { organizationId, tags }: UploadFields): FormData {
  const form = new FormData()
  // The server can refuse the fields before it has received the file.
  if (organizationId !== '') form.append('organizationId', organizationId)
  form.append('tags', JSON.stringify(tags))
  form.append('file', file)
  return form
}
