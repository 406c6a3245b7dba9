import { micromark } from 'micromark'
import { useMemo } from 'react'
import styles from './Widgets.module.css'

/** Pictures are left out, since they would load from other origins. */
const extensions = [{ disable: { null: ['labelStartImage'] } }]
/** Markdown without HTML: the library writes tags and addresses of scripts as text. */
export default function Markdown({ text, label }: { text: string; label: string }) {
  const html = useMemo(() => lowerHeadings(micromark(text, { extensions })), [text])
  return (
    <div
      className={styles.markdown}
      tabIndex={0}
      role="group"
      aria-label={label}
      // oxlint-disable-next-line react/no-danger -- micromark escapes everything that is not Markdown
      dangerouslySetInnerHTML={{ __html: html }}
    />
  )
}

/** The page has the first level and the widgets the second one. */
const lowerHeadings = (html: string) =>
  html.replaceAll(
    /<(\/?)h([1-6])>/g,
    (_all, slash: string, level: string) => `<${slash}h${Math.min(6, Number(level) + 2)}>`,
  )
