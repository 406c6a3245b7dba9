import { Button } from '@mantine/core'
import { useRef } from 'react'
import { Icon } from '../../parts/Icon.tsx'

interface Props {
  label: string
  onFiles: (files: File[]) => void
  isMultiple?: boolean
  isDisabled?: boolean
  isLoading?: boolean
}

/** A button that asks for files of the user's computer. */
export function FilePicker({ label, onFiles, isMultiple = false, isDisabled, isLoading }: Props) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button
        leftSection={<Icon name="files" />}
        disabled={isDisabled}
        loading={isLoading}
        onClick={() => input.current!.click()}
      >
        {label}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        multiple={isMultiple}
        aria-label={label}
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])])
          // The reset allows the same file to be chosen again.
          event.currentTarget.value = ''
        }}
      />
    </>
  )
}
