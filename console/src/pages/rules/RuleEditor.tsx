import { type ReactNode, useMemo, useState } from 'react'
import { lazyPart } from '../../load-part.ts'
import { links } from '../../links.ts'
import { DraftBar } from '../../parts/draft/DraftBar.tsx'
import { Overtaken } from '../../parts/draft/Overtaken.tsx'
import { type Unfinished, withUnfinished } from '../../parts/draft/unfinished.ts'
import { useDraft } from '../../parts/draft/use-draft.ts'
import { DetailLayout } from '../../parts/layout/DetailLayout.tsx'
import { Refusal } from '../../parts/Refusal.tsx'
import { choice, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { useContents } from '../bindings/use-bindings.ts'
import { BacktestPanel } from './BacktestPanel.tsx'
import { isIncomplete, readRows } from './conditions.ts'
import { countProblems, readProblems } from './problems.ts'
import { type RuleDraft, startDraft, writeBody } from './rule.ts'
import { RuleForm } from './RuleForm.tsx'
import styles from './Rules.module.css'
import { parseLogic } from './signals.ts'
import { useFilled } from './use-filled.ts'
import type { SaveRule } from './use-save-rule.ts'

const RawRule = lazyPart(() => import('./RawRule.tsx'))

const fields = { tab: choice(['form', 'json']) }

interface Props {
  /** Undefined for a new rule. */
  ruleId?: string
  /** The name under which the draft is kept. */
  name: string
  title: string
  facts: ReactNode
  actions: (body: ReturnType<typeof writeBody>) => ReactNode
  initial: RuleDraft
  saved: RuleDraft | null
  save: SaveRule
  isReadOnly?: boolean
  /** Shown beside the reason why the rule cannot be changed. */
  why?: ReactNode
}

/** The editor of a new or a saved rule: its fields, the same as JSON, and the backtest beside them. */
export function RuleEditor({
  ruleId,
  name,
  title,
  facts,
  actions,
  initial,
  saved,
  save,
  isReadOnly = false,
  why,
}: Props) {
  const words = useWords('rules')
  const [{ tab }, change] = useUrlState(fields)
  const kept = useDraft({ name, initial, follows: saved !== null })
  const [unfinished, setUnfinished] = useState<Unfinished | null>(null)
  const draft = withUnfinished(kept, unfinished, () => setUnfinished(null))
  const { values, fill } = useFilled(draft.values)
  const contents = useContents(values.modelId || undefined)
  const problems = useMemo(() => readProblems(save.failure), [save.failure])
  const count = countProblems(problems)
  // The page of the new rule follows: what is typed meanwhile would be lost.
  const isFixed = isReadOnly || (saved === null && save.isRunning)
  const undo = { onUndo: draft.undo, onRedo: draft.redo }
  const form = (
    <div className={styles.columns}>
      <RuleForm
        draft={draft}
        organizationId={saved === null ? values.organizationId : undefined}
        contents={contents}
        problems={problems}
        isReadOnly={isFixed}
      />
      <BacktestPanel
        ruleId={ruleId}
        draft={values}
        saved={saved !== null && JSON.stringify(saved) === JSON.stringify(values) ? null : saved}
        contents={contents}
      />
    </div>
  )
  return (
    <DetailLayout
      parent={{ title: words.title, link: links.rules() }}
      title={title}
      label={title}
      facts={facts}
      actions={actions(writeBody(values))}
      tab={tab}
      onTab={(next) => void change({ tab: next })}
      tabs={[
        { id: 'form', title: words.form, render: () => form },
        {
          id: 'json',
          title: words.raw,
          render: () => (
            <RawRule
              values={values}
              isReadOnly={isFixed}
              onChange={draft.change}
              unfinished={unfinished?.text ?? null}
              onUnfinished={(text) =>
                setUnfinished((present) =>
                  text === null ? null : { text, sinceMs: present?.sinceMs ?? Date.now() },
                )
              }
              undo={undo}
            />
          ),
        },
      ]}
    >
      <DraftBar
        draft={draft}
        saveLabel={words.save}
        isSaving={save.isRunning}
        blocked={
          isReadOnly ? words.readOnly : unfinished === null ? whyBlocked(values, words) : words.rawUnfinished
        }
        problems={count}
        isKept={unfinished === null}
        onSave={() =>
          void save.run(fill(), (rule) => {
            // The server's form of the rule is the saved one from now on.
            if (saved !== null) draft.settle(values, startDraft(rule))
            draft.forget()
          })
        }
      >
        {why}
      </DraftBar>
      <Overtaken
        saved={draft.overtaken}
        labels={{
          name: words.name,
          description: words.description,
          severity: words.severity,
          modelId: words.model,
          assetIds: words.assets,
          condition: words.condition,
          clearCondition: words.clear,
          forSeconds: words.hold,
          noDataSeconds: words.noData,
          maxLatenessSeconds: words.late,
        }}
      />
      {save.failure !== null && (count === 0 || problems.other.length > 0) && (
        <Refusal error={save.failure} />
      )}
    </DetailLayout>
  )
}

/** Why a draft cannot be saved, as a sentence; undefined if it can. */
function whyBlocked(
  { name, condition, clearCondition }: RuleDraft,
  words: { needsName: string; needsValues: string; wrongLogic: string },
): string | undefined {
  if (name.trim() === '') return words.needsName
  for (const text of [condition, clearCondition]) {
    const rows = readRows(text)
    if (rows === undefined && parseLogic(text) === undefined) return words.wrongLogic
    if (rows !== undefined && isIncomplete(rows)) return words.needsValues
  }
  return undefined
}
