import { useState } from 'react'
import { lazyPart } from '../../load-part.ts'
import { useWords } from '../../words/words.tsx'
import { Button } from '@mantine/core'
import { Icon } from '../Icon.tsx'
import { PartBoundary } from '../PartBoundary.tsx'
import type { CodeExample } from './example.ts'

const CodeDialog = lazyPart(() => import('./CodeDialog.tsx'))

/** What the page shows, for a script: as curl and as TypeScript. */
export function CodeExamples({ requests }: { requests: CodeExample[] }) {
  const words = useWords('common')
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button leftSection={<Icon name="code" />} onClick={() => setOpen(true)}>
        {words.asCode}
      </Button>
      {isOpen && (
        <PartBoundary>
          <CodeDialog requests={requests} onClose={() => setOpen(false)} />
        </PartBoundary>
      )}
    </>
  )
}
