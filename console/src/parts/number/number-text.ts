/** @returns null for an empty or unfinished number, such as `-` */
export function readNumber(text: number | string): number | null {
  const value = typeof text === 'number' ? text : Number(text)
  return text === '' || !Number.isFinite(value) ? null : value
}

/** What a field shows: what was typed while it means the value, such as `-` for none, and else the value. */
export const chooseText = (typed: number | string, value: number | null): number | string =>
  readNumber(typed) === value ? typed : (value ?? '')
