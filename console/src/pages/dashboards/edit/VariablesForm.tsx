import { ActionIcon, Button, Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Icon } from '../../../parts/Icon.tsx'
import { useWords } from '../../../words/words.tsx'
import type { Board, Variable } from '../board/board.ts'
import { changeVariable, countUses } from '../board/variables.ts'
import { AssetPicker } from '../variables/AssetPicker.tsx'
import { NodePicker } from '../variables/NodePicker.tsx'
import { useModels } from '../../assets/use-models.ts'
import styles from './Editor.module.css'

interface Props {
  board: Board
  onChange: (board: Board) => void
}

const kinds = ['asset', 'assets', 'node'] as const
const NAME = /^[A-Za-z0-9_-]{1,64}$/

/** Variables of the board, by which one dashboard serves many assets. */
export function VariablesForm({ board, onChange }: Props) {
  const words = useWords('dashboardEditor')
  const { variables } = board
  const set = (next: Variable[]) => onChange({ ...board, variables: next })
  const add = () => {
    const taken = new Set(variables.map(({ name }) => name))
    let number = 1
    while (taken.has(`asset${number}`)) number++
    set([...variables, { name: `asset${number}`, kind: 'asset', value: [] }])
  }
  return (
    <div className={styles.form}>
      <h2 className={styles.formTitle}>{words.variables}</h2>
      <p className={styles.note}>{words.variablesText}</p>
      {variables.map((variable, index) => (
        <VariableForm
          key={index}
          variable={variable}
          others={variables.toSpliced(index, 1).map(({ name }) => name)}
          uses={countUses(board, variable.name)}
          onChange={(changed) => onChange(changeVariable(board, index, changed))}
          onRemove={() => set(variables.toSpliced(index, 1))}
        />
      ))}
      <div>
        <Button leftSection={<Icon name="plus" />} onClick={add}>
          {words.addVariable}
        </Button>
      </div>
    </div>
  )
}

interface VariableProps {
  variable: Variable
  /** Names of the other variables. */
  others: string[]
  /** Number of widgets that take their assets from it. */
  uses: number
  onChange: (variable: Variable) => void
  onRemove: () => void
}

function VariableForm({ variable, others, uses, onChange, onRemove }: VariableProps) {
  const words = useWords('dashboardEditor')
  const { name, kind, value } = variable
  // A name that cannot be used stays in the field alone: widgets follow the name, and must not meet those of another.
  const [typed, setTyped] = useState<string | null>(null)
  const written = typed ?? name
  const findProblem = (text: string) =>
    others.includes(text) ? words.nameTaken : NAME.test(text) ? undefined : words.nameWrong
  return (
    <section className={styles.signal} aria-label={words.variable(name)}>
      <div className={styles.signalHead}>
        <span className={styles.signalName}>
          <bdi>{words.variable(name)}</bdi>
        </span>
        <ActionIcon variant="subtle" aria-label={words.removeVariable(name)} onClick={onRemove}>
          <Icon name="close" />
        </ActionIcon>
      </div>
      <TextInput
        label={words.variableName}
        autoComplete="off"
        value={written}
        error={findProblem(written)}
        onChange={(event) => {
          const next = event.currentTarget.value
          const isUsable = findProblem(next) === undefined
          setTyped(isUsable ? null : next)
          if (isUsable) onChange({ ...variable, name: next })
        }}
        onBlur={() => setTyped(null)}
      />
      {uses > 0 && <p className={styles.note}>{words.usedBy(uses)}</p>}
      <TextInput
        label={words.label}
        autoComplete="off"
        value={variable.label ?? ''}
        onChange={(event) => {
          const { label: _before, ...rest } = variable
          const label = event.currentTarget.value
          onChange(label === '' ? rest : { ...rest, label })
        }}
      />
      <Select
        label={words.variableKind}
        data={kinds.map((option) => ({ value: option as string, label: words.variableKinds[option] }))}
        value={kind}
        onChange={(next) => {
          const { modelId: _modelId, ...rest } = variable
          onChange({ ...rest, kind: next as Variable['kind'], value: [] })
        }}
      />
      {kind === 'asset' && <ModelSelect variable={variable} onChange={onChange} />}
      {kind === 'node' ? (
        <NodePicker
          label={words.initially}
          value={value[0] ?? null}
          onChange={(id) => onChange({ ...variable, value: [id] })}
        />
      ) : (
        <AssetPicker
          label={words.initially}
          value={value}
          isSeveral={kind === 'assets'}
          modelId={variable.modelId}
          onChange={(ids) => onChange({ ...variable, value: ids })}
        />
      )}
    </section>
  )
}

/** The model by which the dashboard is a template. */
function ModelSelect({ variable, onChange }: Pick<VariableProps, 'variable' | 'onChange'>) {
  const words = useWords('dashboardEditor')
  const { modelId, ...rest } = variable
  const offered = useModels().map(({ id, displayName }) => ({ value: id, label: displayName }))
  const isOffered = modelId === undefined || offered.some(({ value }) => value === modelId)
  return (
    <Select
      label={words.variableModel}
      description={words.variableModelText}
      clearable
      searchable
      placeholder={words.anyModel}
      data={isOffered ? offered : [...offered, { value: modelId, label: modelId }]}
      value={modelId ?? null}
      onChange={(id) => onChange({ ...rest, value: [], ...(id !== null && { modelId: id }) })}
    />
  )
}
