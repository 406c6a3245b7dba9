import type { Variable } from '../../board/board.ts'

export interface FieldProps {
  options: Record<string, unknown>
  variables: Variable[]
  /** Undefined removes an option. */
  onChange: (options: Record<string, unknown>) => void
}
