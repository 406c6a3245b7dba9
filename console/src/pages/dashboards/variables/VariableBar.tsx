import { Refusal } from '../../../parts/Refusal.tsx'
import type { Variable } from '../board/board.ts'
import styles from '../Dashboards.module.css'
import { AssetPicker } from './AssetPicker.tsx'
import { NodePicker } from './NodePicker.tsx'
import type { Chosen } from './use-bindings.ts'

interface Props {
  variables: Variable[]
  chosen: Chosen
  onChange: (chosen: Chosen) => void
  problem: Error | null
}

/** Fields of the variables of a board. */
export function VariableBar({ variables, chosen, onChange, problem }: Props) {
  if (variables.length === 0) return null
  return (
    <div className={styles.variables}>
      {variables.map((variable) => {
        const ids = chosen[variable.name] ?? variable.value
        const set = (next: string[]) => onChange({ ...chosen, [variable.name]: next })
        const label = variable.label ?? variable.name
        return (
          <div key={variable.name} className={styles.variable}>
            {variable.kind === 'node' ? (
              <NodePicker label={label} value={ids[0] ?? null} onChange={(id) => set([id])} />
            ) : (
              <AssetPicker
                label={label}
                value={ids}
                isSeveral={variable.kind === 'assets'}
                modelId={variable.modelId}
                onChange={set}
              />
            )}
          </div>
        )
      })}
      {problem !== null && <Refusal error={problem} />}
    </div>
  )
}
