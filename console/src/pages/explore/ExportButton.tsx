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
  /** What the buckets hold, in words. */
  buckets: string
}

/** Button that saves the series of the chart, or each of their samples, as CSV or Parquet. */
export function ExportButton({ buckets, ...props }: Props) {
  const words = useWords('explore')
  const api = useApi()
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const save = async (format: ExportFormat, isWhole: boolean) => {
    setRunning(true)
    setError(null)
    try {
      const query = isWhole ? { ...props, aggregation: undefined } : props
      for (const { parts, name, type } of await exportSignals(api, query, format)) download(parts, name, type)
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
        buckets={props.aggregation && buckets}
        onChoose={(format, isWhole) => void save(format, isWhole)}
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
