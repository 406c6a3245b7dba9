/** The log: one JSON object per line for programs, readable lines on a terminal. */
import { type Logger, pino, type LoggerOptions } from 'pino'

/** Destination of the lines, such as `process.stdout`. */
interface Output {
  isTTY?: boolean
  write(line: string): unknown
}

const secrets = ['password', 'secret', 'token']

export async function createLog(level: string, output: Output = process.stdout): Promise<Logger> {
  const options: LoggerOptions = {
    level,
    base: null,
    redact: [
      'req.headers.authorization',
      'headers.authorization',
      ...secrets,
      ...secrets.map((name) => `*.${name}`),
    ],
  }
  if (!output.isTTY) return pino(options, output)
  // Loaded only for a terminal, to keep other starts fast.
  const { prettyFactory } = await import('pino-pretty')
  const format = prettyFactory({
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
  })
  return pino(options, { write: (line: string) => void output.write(format(line)) })
}
