import { Button } from '@mantine/core'
import { useRef } from 'react'
import { useWords } from '../../words/words.tsx'

/** Reads a local file as text. */
export function UploadButton({ onText }: { onText: (text: string) => void }) {
  const words = useWords('models')
  const input = useRef<HTMLInputElement>(null)
  const read = async (file: File | undefined) => {
    if (file !== undefined) onText(await file.text())
    // The reset allows the same file to be chosen again.
    input.current!.value = ''
  }
  return (
    <>
      <Button onClick={() => input.current!.click()}>{words.upload}</Button>
      <input
        ref={input}
        type="file"
        hidden
        accept=".json,application/json"
        aria-label={words.upload}
        onChange={(event) => void read(event.currentTarget.files?.[0])}
      />
    </>
  )
}
