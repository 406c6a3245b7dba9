/**
 * When samples were stored and deleted, so that an answer which was asked for meanwhile can be judged: some samples must be
 * in it, and others may.
 */
import type { Message } from './operations.ts'
import { keyOf, removeRepeats } from './stored-list.ts'

interface Life {
  message: Message
  /** The order of the events; `Infinity` for what has not happened yet. */
  beganAt: number
  acknowledgedAt: number
  deletingAt: number
  deletedAt: number
}

export interface Lives {
  /** Counts the events. */
  clock: number
  all: Life[]
}

export const createLives = (): Lives => ({ clock: 0, all: [] })

const never = { acknowledgedAt: Infinity, deletingAt: Infinity, deletedAt: Infinity }
const isAlive = ({ deletingAt }: Life) => deletingAt === Infinity

/** @returns what to call when the messages are stored. Of a stored message, repeats add nothing. */
export function beginStoring(lives: Lives, messages: Message[]): () => void {
  const alive = new Set(lives.all.filter(isAlive).map(({ message }) => keyOf(message)))
  const beganAt = ++lives.clock
  const begun = removeRepeats(messages)
    .filter((message) => !alive.has(keyOf(message)))
    .map((message): Life => ({ message, beganAt, ...never }))
  lives.all.push(...begun)
  return () => {
    lives.clock++
    for (const life of begun) life.acknowledgedAt = lives.clock
  }
}

/** @returns what to call when the messages of the owner are deleted */
export function beginDeleting(lives: Lives, owner: string): () => void {
  lives.clock++
  const dying = lives.all.filter((life) => isAlive(life) && life.message.owner === owner)
  for (const life of dying) life.deletingAt = lives.clock
  return () => {
    lives.clock++
    for (const life of dying) life.deletedAt = lives.clock
  }
}

/** Messages that an answer must have, and those that it may have, if it was asked for at the given time and came now. */
export function judge({ all }: Lives, askedAt: number): { must: Message[]; may: Message[] } {
  const messages = (lives: Life[]) => lives.map(({ message }) => message)
  return {
    must: messages(all.filter((life) => life.acknowledgedAt <= askedAt && isAlive(life))),
    may: messages(all.filter(({ deletedAt }) => deletedAt > askedAt)),
  }
}
