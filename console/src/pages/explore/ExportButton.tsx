import { Button } from '@mantine/core'
import { useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import type { Range } from '../../charts/time/range.ts'
import { download } from '../../parts/download.ts'
import { Icon } from '../../parts/Icon.tsx'
import { onFirstUse } from '../../parts/on-first-use.tsx'
import { Refusal } from '../../parts/Refusal.tsx'
import { useWords } from '../../words/words.tsx'
import { type ExportFormat, exportSignals } from './export-signals.ts'
import type { OwnerQuery } from './query-signals.ts'
import { groupByOwner, type Signal } from './signal.ts'

const ExportMenu = onFirstUse(() => import('./ExportMenu.tsx'))

interface Props {
  signals: Signal[]
  range: Range
  zone: string
  aggregation: OwnerQuery['aggregation']
}

/** Button that saves the complete series of the chart as CSV or Parquet. */
export function ExportButton(props: Props) {
  const words = useWords('explore')
  const api = useApi()
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const save = async (format: ExportFormat) => {
    setRunning(true)
    setError(null)
    try {
      for (const { parts, name, type } of await exportSignals(api, props, format)) download(parts, name, type)
    } catch (problem) {
      setError(problem)
    } finally {
      setRunning(false)
    }
  }
  return (
    <>
      <ExportMenu
        owners={groupByOwner(props.signals).size}
        onChoose={(format) => void save(format)}
        button={
          <Button leftSection={<Icon name="firmware" />} loading={isRunning}>
            {words.export}
          </Button>
        }
      />
      {error !== null && <Refusal error={error} />}
    </>
  )
}
