/** What the parts of the simulation share. */
import type { Costs } from './costs.ts'
import type { Delay, Point } from './figures.ts'
import type { Machine, Thread } from './machine.ts'

export interface Load extends Pick<Point, 'replicas' | 'messagesPerSecond' | 'inFlight'> {
  devices: number
  gateways: number
  /** Of a stream. */
  ingestNodes: number
  seconds: number
  /** Shared by all processes. */
  processors: number
  costs: Costs
  /** How long PostgreSQL waits for its disk, and a batch for the network and the disks of NATS. */
  disk: Delay
  publish: Delay
  /** How late a process that slept is woken. */
  wake: Delay
  /**
   * Besides, the machine runs a server with the other roles, and a program that sleeps for 1 ms again and again. A probe in each
   * server looks how late its event loop is.
   */
  isBench: boolean
}

/** A message: when it was due, and its device. */
export interface Message {
  dueMs: number
  device: number
}

/** A server, and its connections of PostgreSQL that commit. */
export interface StoringNode {
  thread: Thread
  backends: Thread[]
}

/** What the ways of a message share. */
export interface World {
  load: Load
  machine: Machine
  fleet: Thread
  nodes: { gateways: StoringNode[]; ingest: StoringNode[] }
  /** The servers of NATS. The first one leads the stream. */
  servers: Thread[]
  random: () => number
  commits: { count: number; messages: number }
  batches: { count: number; messages: number }
  /** Messages of one device that the gateway reads at once. */
  reads: { count: number; messages: number }
  /** The messages are durable: their gateway writes the PUBACKs. */
  acknowledge(gateway: Thread, messages: Message[]): void
}

/** Takes messages that the gateway has read. */
export type Accept = (messages: Message[]) => void
