import { Select, Textarea, TextInput } from '@mantine/core'
import type { Draft } from '../../parts/draft/use-draft.ts'
import { useWords } from '../../words/words.tsx'
import { OrganizationField } from '../access/OrganizationField.tsx'
import { ModelField } from '../assets/ModelField.tsx'
import { AssetsField } from './AssetsField.tsx'
import { ConditionField } from './ConditionField.tsx'
import { DurationField } from './DurationField.tsx'
import type { RuleProblems } from './problems.ts'
import type { RuleDraft } from './rule.ts'
import styles from './Rules.module.css'
import type { Content } from './signals.ts'

interface Props {
  draft: Draft<RuleDraft>
  /** Where a new rule belongs; undefined if the rule has an organization already. */
  organizationId: string | undefined
  contents: readonly Content[]
  problems: RuleProblems
  isReadOnly: boolean
}

/** The fields of a rule, as sentences. */
export function RuleForm({ draft, organizationId, contents, problems, isReadOnly }: Props) {
  const words = useWords('rules')
  const common = useWords('common')
  const { values, change } = draft
  const undo = { onUndo: draft.undo, onRedo: draft.redo }
  const condition = { contents, isReadOnly, undo }
  return (
    <div className={styles.column}>
      <div className={styles.pair}>
        <TextInput
          label={words.name}
          autoComplete="off"
          readOnly={isReadOnly}
          value={values.name}
          error={problems.fields.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <Select
          label={words.severity}
          disabled={isReadOnly}
          data={[1, 2, 3, 4, 5].map((severity) => ({
            value: String(severity),
            label: common.severities[severity]!,
          }))}
          value={String(values.severity)}
          error={problems.fields.severity}
          onChange={(severity) => change({ severity: Number(severity) })}
        />
      </div>
      {organizationId !== undefined && (
        <OrganizationField
          privilege="alarm_management"
          value={organizationId}
          onChange={(chosen) => change({ organizationId: chosen })}
        />
      )}
      <div className={styles.pair}>
        {isReadOnly ? (
          <TextInput label={words.model} readOnly value={values.modelId} />
        ) : (
          <ModelField
            description={words.modelHint}
            value={values.modelId}
            error={problems.fields.entityTypeId}
            onChange={(modelId) => change({ modelId, assetIds: [] })}
          />
        )}
        <AssetsField
          modelId={values.modelId}
          value={values.assetIds}
          error={problems.fields.entityIds}
          isReadOnly={isReadOnly}
          onChange={(assetIds) => change({ assetIds })}
        />
      </div>
      <ConditionField
        {...condition}
        label={words.condition}
        text={words.conditionText}
        value={values.condition}
        problems={problems.condition}
        onChange={(text) => change({ condition: text })}
      />
      <DurationField
        label={words.hold}
        description={words.holdText}
        seconds={values.forSeconds}
        error={problems.fields.forSeconds}
        isReadOnly={isReadOnly}
        onChange={(forSeconds) => change({ forSeconds })}
      />
      <ConditionField
        {...condition}
        label={words.clear}
        text={words.clearText}
        value={values.clearCondition}
        problems={problems.clearCondition}
        onChange={(text) => change({ clearCondition: text })}
      />
      <div className={styles.pair}>
        <DurationField
          label={words.noData}
          description={words.noDataText}
          seconds={values.noDataSeconds}
          error={problems.fields.noDataSeconds}
          isReadOnly={isReadOnly}
          onChange={(noDataSeconds) => change({ noDataSeconds })}
        />
        <DurationField
          label={words.late}
          description={words.lateText}
          seconds={values.maxLatenessSeconds}
          error={problems.fields.maxLatenessSeconds}
          isReadOnly={isReadOnly}
          onChange={(maxLatenessSeconds) => change({ maxLatenessSeconds })}
        />
      </div>
      <Textarea
        label={words.description}
        autosize
        minRows={1}
        maxRows={6}
        readOnly={isReadOnly}
        value={values.description}
        error={problems.fields.description}
        onChange={(event) => change({ description: event.currentTarget.value })}
      />
    </div>
  )
}
