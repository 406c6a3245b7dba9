import type { KeyboardEvent, ReactNode } from 'react'
import { choice, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { CodeBlock } from '../code/CodeBlock.tsx'
import page from '../layout/Page.module.css'
import { writeArduino } from './arduino.ts'
import styles from './DeviceCode.module.css'
import { writeEspIdf } from './esp-idf.ts'
import { writePython } from './python.ts'
import { writeShell } from './shell.ts'
import type { Filled, Snippet } from './snippet.ts'
import { writeTypeScript } from './typescript.ts'

const writers = {
  shell: writeShell,
  typescript: writeTypeScript,
  python: writePython,
  espidf: writeEspIdf,
  arduino: writeArduino,
} satisfies Record<string, (filled: Filled) => Snippet[]>

const languages = ['shell', 'typescript', 'python', 'espidf', 'arduino'] as const
type Language = (typeof languages)[number]
const fields = { code: choice(languages) }

interface Props {
  /** Whether the device fetches its settings from the onboarding service, which the ESP-IDF example requires. */
  isOnboarded: boolean
  /** Undefined until it is loaded. */
  filled: Filled | undefined
  /** Shown in place of the code until it is loaded. */
  children?: ReactNode
}

/** Example code for a device. The language is a parameter of the address. */
export function DeviceCode({ isOnboarded, filled, children }: Props) {
  const words = useWords('firstDevice')
  const [{ code: asked }, change] = useUrlState(fields)
  const offered: readonly Language[] = isOnboarded ? languages : languages.filter((one) => one !== 'espidf')
  const code: Language = offered.includes(asked) ? asked : 'shell'
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const offset = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (offset === undefined) return
    event.stopPropagation()
    const next = offered[(offered.indexOf(code) + offset + offered.length) % offered.length]!
    void change({ code: next })
    event.currentTarget.querySelector<HTMLElement>(`#language-${next}`)?.focus()
  }
  return (
    <div>
      <div role="tablist" className={page.tabs} aria-label={words.languages} onKeyDown={onKeyDown}>
        {offered.map((language) => (
          <button
            key={language}
            id={`language-${language}`}
            type="button"
            role="tab"
            className={page.tab}
            aria-selected={language === code}
            aria-controls="language-panel"
            tabIndex={language === code ? 0 : -1}
            onClick={() => void change({ code: language })}
          >
            {words.languageNames[language]}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="language-panel" aria-labelledby={`language-${code}`} className={styles.code}>
        {children}
        {filled !== undefined && <Snippets snippets={writers[code](filled)} />}
        <p className={styles.note}>{words.secret}</p>
      </div>
    </div>
  )
}

function Snippets({ snippets }: { snippets: Snippet[] }) {
  const words = useWords('firstDevice')
  return (
    <ol className={styles.snippets}>
      {snippets.map(({ step, name, code }) => {
        const label = words.snippets[step]
        return (
          <li key={step + (name ?? '')}>
            <p className={styles.label}>
              {label} {name !== undefined && <code>{name}</code>}
            </p>
            <CodeBlock code={code} name={name ?? label} />
          </li>
        )
      })}
    </ol>
  )
}
