/** Messages of one kind, in the order of each device. A batch holds messages of one lane and one partition. */
import type { StreamLane } from '../../database/tables/ingest.ts'

export const LANES: readonly StreamLane[] = ['telemetry', 'reported', 'dead_letters']

/** The place of a batch: all messages of a device in one lane have the same. */
export interface Place {
  partition: number
  lane: StreamLane
}

/** Numbers of clients are consecutive, so that the partitions are equally large. */
export const findPartition = (clientNumber: number, partitions: number): number => clientNumber % partitions

export const formatPlace = ({ lane, partition }: Place): string => `${lane}.${partition}`

/** @returns undefined for a subject of another form */
export function parsePlace(subject: string): Place | undefined {
  const [lane, partition] = subject.split('.').slice(-2)
  const known = LANES.find((name) => name === lane)
  return known && { lane: known, partition: Number(partition) }
}
