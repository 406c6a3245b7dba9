import { readFile } from 'node:fs/promises'

export interface UnitFile {
  /** All values of a key, in their order. */
  get(key: string): string[]
}

/** Reads a unit file of systemd, whose keys are unique over its sections here. */
export async function readUnitFile(path: string): Promise<UnitFile> {
  const lines = (await readFile(path, 'utf8')).split('\n')
  const entries = lines.flatMap((line) => {
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? []
    return key === undefined ? [] : [{ key, value: value! }]
  })
  return { get: (key) => entries.filter((entry) => entry.key === key).map(({ value }) => value) }
}

/** @returns the variables of `Environment=` */
export const unitEnvironment = (unit: UnitFile): Record<string, string> =>
  Object.fromEntries(
    unit
      .get('Environment')
      .flatMap((line) => line.split(' ').map((pair) => pair.split('=') as [string, string])),
  )
