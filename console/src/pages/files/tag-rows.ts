/** Tags while they are edited: rows that may be unfinished, or have the same key twice. */
export interface TagRow {
  key: string
  value: string
}

export const readTagRows = (tags: Record<string, string>): TagRow[] =>
  Object.entries(tags).map(([key, value]) => ({ key, value }))

/** Rows without any text are left out. */
export const writeTags = (rows: TagRow[]): Record<string, string> =>
  Object.fromEntries(rows.filter(isFilled).map(({ key, value }) => [key, value]))

const isFilled = ({ key, value }: TagRow) => key !== '' || value !== ''

type TagProblem = 'incomplete' | 'twice'

/** @returns the problem of each row, undefined for those that are right */
export const findTagProblems = (rows: TagRow[]): (TagProblem | undefined)[] =>
  rows.map((row, index) => {
    if (!isFilled(row)) return undefined
    if (row.key === '' || row.value === '') return 'incomplete'
    return rows.slice(0, index).some(({ key }) => key === row.key) ? 'twice' : undefined
  })
