import { Button } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useWords } from '../words/words.tsx'
import { Icon } from './Icon.tsx'
import styles from './Copy.module.css'

/** A button that copies a text, and says so for a moment. */
export function Copy({ text, name }: { text: string; name: string }) {
  const words = useWords('common')
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 1500)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async () => {
    await writeClipboard(text)
    setCopied(true)
  }
  const label = isCopied ? words.copied : words.copyThing(name)
  return (
    <button
      type="button"
      className={styles.copy}
      aria-label={label}
      title={label}
      data-copied={isCopied || undefined}
      onClick={(event) => {
        event.stopPropagation()
        void copy()
      }}
    >
      <Icon name={isCopied ? 'check' : 'copy'} size={14} />
      <span role="status" className="visually-hidden">
        {isCopied && words.copied}
      </span>
    </button>
  )
}

/** A copy button with a label, for a text that is requested on demand, such as a hidden key. */
export function CopyButton(props: {
  label: string
  load: () => string | Promise<string>
  onError?: (error: unknown) => void
}) {
  const words = useWords('common')
  const [state, setState] = useState<'idle' | 'running' | 'copied'>('idle')
  useEffect(() => {
    if (state !== 'copied') return
    const timer = setTimeout(() => setState('idle'), 1500)
    return () => clearTimeout(timer)
  }, [state])
  const copy = async () => {
    setState('running')
    try {
      await writeClipboard(await props.load())
      setState('copied')
    } catch (error) {
      setState('idle')
      props.onError?.(error)
    }
  }
  return (
    <Button
      size="xs"
      loading={state === 'running'}
      leftSection={<Icon name={state === 'copied' ? 'check' : 'copy'} size={14} />}
      onClick={() => void copy()}
    >
      <span aria-live="polite">{state === 'copied' ? words.copied : props.label}</span>
    </Button>
  )
}

/** Browsers offer the clipboard only over https and on localhost; elsewhere a selection does it. */
async function writeClipboard(text: string) {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}
