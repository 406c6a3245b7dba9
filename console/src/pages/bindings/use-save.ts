import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { withTimeout } from '../devices/timeout.ts'
import type { BindingEntry, BindingSet } from './binding.ts'

export interface Save {
  run: (entry: BindingEntry) => Promise<BindingSet | undefined>
  isRunning: boolean
  failure: unknown
}

/** Saves one binding of an asset; a binding without sources is removed. */
export function useSave(assetId: string): Save {
  const api = useApi()
  const cache = useQueryClient()
  const [isRunning, setRunning] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const run = async (entry: BindingEntry) => {
    setRunning(true)
    setFailure(null)
    try {
      const body = { endpointBindings: [entry] }
      const saved = await api.post('/v1/assets/{assetId}/bind', {
        path: { assetId },
        body,
        signal: withTimeout(),
      })
      cache.setQueryData(['asset-bindings', assetId], saved)
      return saved
    } catch (error) {
      setFailure(error)
      return undefined
    } finally {
      setRunning(false)
    }
  }
  return { run, isRunning, failure }
}
