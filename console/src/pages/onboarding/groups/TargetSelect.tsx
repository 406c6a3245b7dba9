import { Select, TextInput } from '@mantine/core'
import { ApiError } from '@gangway/client'
import { useWords } from '../../../words/words.tsx'
import { Notice } from '../../../parts/State.tsx'
import { useTargets } from '../use-groups.ts'

interface Props {
  value: string
  onChange: (targetId: string) => void
  error: string | undefined
}

/** A select for a routing target. It shows the id to users who may not view targets. */
export function TargetSelect({ value, onChange, error }: Props) {
  const words = useWords('groups')
  const shared = useWords('onboarding')
  const { targets, query, isCut } = useTargets()
  if (query.error instanceof ApiError && query.error.status === 403)
    return (
      <>
        <Notice kind="info">{shared.targetHidden}</Notice>
        <TextInput
          label={words.targetId}
          value={value}
          error={error}
          spellCheck={false}
          onChange={(event) => onChange(event.currentTarget.value.trim())}
        />
      </>
    )
  return (
    <Select
      label={words.target}
      description={isCut ? shared.first1000 : words.targetHint}
      placeholder={words.chooseTarget}
      searchable
      value={value === '' ? null : value}
      error={error}
      onChange={(id) => onChange(id ?? '')}
      data={(targets ?? []).map(({ id, name }) => ({ value: id, label: name }))}
    />
  )
}
