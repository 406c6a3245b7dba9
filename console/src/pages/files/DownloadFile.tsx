import { Button } from '@mantine/core'
import { useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { download } from '../../parts/download.ts'
import { Refusal } from '../../parts/Refusal.tsx'
import { useWords } from '../../words/words.tsx'
import { chooseFileName, type Resource } from './resource.ts'

/** Saves the content on the user's computer. It is read with the token of the user, which a link cannot carry. */
export function DownloadFile({ resource }: { resource: Resource }) {
  const words = useWords('files')
  const api = useApi()
  const [isRunning, setRunning] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const save = async () => {
    setRunning(true)
    setFailure(null)
    try {
      const answer = await api.request('get', '/v1/resources/download/{resourceId}', {
        path: { resourceId: resource.id },
      })
      download([await answer.blob()], chooseFileName(resource), resource.metadata.contentType)
    } catch (error) {
      setFailure(error)
    } finally {
      setRunning(false)
    }
  }
  return (
    <>
      <Button loading={isRunning} onClick={() => void save()}>
        {words.download}
      </Button>
      {failure !== null && <Refusal error={failure} />}
    </>
  )
}
