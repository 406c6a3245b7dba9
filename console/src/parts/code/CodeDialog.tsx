import { Modal, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { useWords } from '../../words/words.tsx'
import { CodeBlock } from './CodeBlock.tsx'
import { type CodeExample, writeCurl, writeTypeScript } from './example.ts'

export default function CodeDialog({ requests, onClose }: { requests: CodeExample[]; onClose: () => void }) {
  const words = useWords('common')
  const [kind, setKind] = useState('curl')
  const { origin } = location
  const code =
    kind === 'curl'
      ? requests.map((request) => writeCurl(request, origin)).join('\n\n')
      : writeTypeScript(requests, origin)
  return (
    <Modal opened onClose={onClose} size="lg" title={words.asCode}>
      <p>
        {words.asCodeText} {words.tokenHint}
      </p>
      <SegmentedControl
        my="sm"
        size="xs"
        aria-label={words.asCode}
        value={kind}
        onChange={setKind}
        data={[
          { value: 'curl', label: 'curl' },
          { value: 'typescript', label: 'TypeScript' },
        ]}
      />
      <CodeBlock code={code} name={kind === 'curl' ? 'curl' : 'TypeScript'} />
    </Modal>
  )
}
