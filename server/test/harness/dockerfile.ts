/** Executes a Dockerfile without containers: each stage is a directory that stands for the root. */
import { cp, mkdir, readFile, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { type Account, runIn } from './checkout.ts'
import { readDockerIgnore } from './dockerignore.ts'

interface Stage {
  /** The directory that stands for the file system. */
  root: string
  workdir: string
  environment: Record<string, string>
}

export interface Image extends Stage {
  baseImages: string[]
  user: string
  command: string[]
  healthCheck: string[]
  volumes: string[]
  ports: number[]
}

interface Build {
  context: string
  directory: string
  /** Stands for the user of the image, which may not exist on this machine. */
  account: Account
  isIgnored: (path: string) => boolean
  stages: Map<string, Stage>
  image: Image
}

type Perform = (build: Build, rest: string) => Promise<unknown> | void

const commandIn = (rest: string): string[] => JSON.parse(rest.slice(rest.indexOf('[')))

const instructions: Record<string, Perform> = {
  FROM: startStage,
  COPY: copy,
  WORKDIR: ({ image }, rest) => {
    image.workdir = rest
    return mkdir(join(image.root, rest), { recursive: true })
  },
  ENV: ({ image }, rest) => {
    for (const [, name, value] of rest.matchAll(/(\w+)=(\S*)/g)) image.environment[name!] = value!
  },
  RUN: ({ image, account }, rest) => {
    const command = inStage(image, rest).replaceAll('1000:1000', `${account.uid}:${account.gid}`)
    return runIn(join(image.root, image.workdir), command)
  },
  USER: ({ image }, rest) => void (image.user = rest),
  VOLUME: ({ image }, rest) => void image.volumes.push(rest),
  EXPOSE: ({ image }, rest) => void (image.ports = rest.split(' ').map(Number)),
  HEALTHCHECK: ({ image }, rest) => void (image.healthCheck = commandIn(rest)),
  CMD: ({ image }, rest) => void (image.command = commandIn(rest)),
}

export async function performDockerfile(
  context: string,
  directory: string,
  account: Account,
): Promise<Image> {
  const image: Image = {
    root: directory,
    workdir: '/',
    environment: {},
    baseImages: [],
    user: '',
    command: [],
    healthCheck: [],
    volumes: [],
    ports: [],
  }
  const isIgnored = await readDockerIgnore(context)
  const build: Build = { context, directory, account, isIgnored, stages: new Map(), image }
  for (const { keyword, rest } of readInstructions(await readFile(join(context, 'Dockerfile'), 'utf8'))) {
    const perform = instructions[keyword]
    if (!perform) throw new Error(`${keyword} is an instruction that cannot be performed without a container`)
    await perform(build, rest)
  }
  return image
}

const readInstructions = (text: string) =>
  text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({ keyword: line.split(' ')[0]!, rest: line.slice(line.indexOf(' ') + 1).trim() }))

async function startStage({ stages, image, directory }: Build, rest: string) {
  const [from, , name = 'last'] = rest.split(' ')
  image.baseImages.push(from!)
  Object.assign(image, { root: join(directory, name), workdir: '/', environment: {} })
  stages.set(name, { ...image })
  await mkdir(image.root)
}

/** Replaces absolute paths in a command by those of the directory that stands for the stage. */
export const inStage = ({ root }: Pick<Stage, 'root'>, text: string): string =>
  text.replaceAll(/(?<=^|[\s='"])\/(?=app|data)/g, `${root}/`)

async function copy({ context, stages, image, isIgnored }: Build, rest: string) {
  const words = rest.split(/\s+/)
  const target = words.pop()!
  const [, name] = /^--from=(.*)/.exec(words[0]!) ?? []
  const from = name === undefined ? context : stages.get(name)!.root
  const to = join(image.root, resolve(image.workdir, target))
  for (const word of name === undefined ? words : words.slice(1)) {
    const path = join(from, word)
    const goesInto = target.endsWith('/') && !(await stat(path)).isDirectory()
    await cp(path, goesInto ? join(to, basename(word)) : to, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (file) => name !== undefined || !isIgnored(file.slice(context.length + 1)),
    })
  }
}
