import { useMemo } from 'react'
import { useFormat } from '../../../format.ts'
import { JsonEditor } from '../../../parts/code-editor/JsonEditor.tsx'
import { findLine, findPlace, locateJson } from '../../../parts/code-editor/locate.ts'
import { Icon } from '../../../parts/Icon.tsx'
import { useWords } from '../../../words/words.tsx'
import shared from '../Onboarding.module.css'
import styles from './Groups.module.css'
import { completeVariable } from './complete-variable.ts'
import { parseTemplate, variables } from './template.ts'
import { findTemplateProblems } from './template-problems.ts'
import { TemplatePreview } from './TemplatePreview.tsx'

interface Props {
  text: string
  onChange: (text: string) => void
  /** Empty until a target is chosen. */
  targetId: string
  /** The group whose devices are offered for the preview; absent for a new group. */
  groupId?: string
  /** The problem that the form has found. */
  problem: string | undefined
}

/** The template at the left, with its rendered preview at the right. */
export function TemplateEditor({ text, onChange, targetId, groupId, problem }: Props) {
  const { template: words } = useWords('groups')
  const template = useMemo(() => parseTemplate(text), [text])
  const problems = useMemo(() => findTemplateProblems(template, words), [template, words])
  const listed =
    template === null ? [{ line: 0, message: problem ?? words.notObject }] : addLines(text, problems)
  return (
    <div className={styles.halves}>
      <section className={shared.stack} aria-label={words.title}>
        <h2 className={shared.subtitle}>{words.title}</h2>
        <p className={shared.note}>{words.text}</p>
        <Problems problems={listed} />
        <JsonEditor
          label={words.title}
          value={text}
          onChange={onChange}
          problems={problems}
          completions={(context) => completeVariable(context, words.variables)}
        />
        <dl className={styles.variables}>
          {variables.map((name) => (
            <div key={name}>
              <dt>
                <code>{`{{${name}}}`}</code>
              </dt>
              <dd>{words.variables[name]}</dd>
            </div>
          ))}
        </dl>
      </section>
      <TemplatePreview {...{ text, targetId, groupId }} />
    </div>
  )
}

interface TemplateProblem {
  /** Line number from 1; 0 for the text as a whole. */
  line: number
  message: string
}

function addLines(text: string, problems: { path: string; message: string }[]): TemplateProblem[] {
  const { root } = locateJson(text)
  return problems.map(({ path, message }) => ({
    line: root === null ? 0 : findLine(text, findPlace(root, path).from).line,
    message,
  }))
}

/** Lists the problems above the editor, which also marks them in the text. */
function Problems({ problems }: { problems: TemplateProblem[] }) {
  const { template: words } = useWords('groups')
  const format = useFormat()
  return (
    <div role="status" className={styles.problems} data-some={problems.length > 0 || undefined}>
      <Icon name={problems.length > 0 ? 'bad' : 'good'} size={14} />
      <div>
        {words.problems(problems.length, format.number(problems.length))}
        {problems.length > 0 && (
          <ul className={shared.list}>
            {problems.slice(0, 5).map(({ line, message }) => (
              <li key={`${line} ${message}`}>
                {line > 0 && `${words.line(format.number(line))}: `}
                <bdi>{message}</bdi>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  )
}
