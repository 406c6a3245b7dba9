export const writeTable = (header: string[], rows: string[][]): string =>
  [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')

/** Three digits; more would pretend to know. */
export const figure = (value: number): string => Number(value.toPrecision(3)).toLocaleString('en')

export const nameWay = (replicas: number) =>
  replicas === 0 ? 'Direct' : `Through the stream, ${replicas} ${replicas === 1 ? 'replica' : 'replicas'}`
