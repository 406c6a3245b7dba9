/** Inputs of the plans that the bench of scaling does not measure: sizes from other measurements, and choices of the operator. */
export const ASSUMPTIONS = {
  /** Number of values in a message, as in the measured load. */
  values: 3,
  /** Packed bytes of a message, and of each of its values. [docs/operating#history-and-growth] */
  packedMessageBytes: 9,
  packedValueBytes: 0.58,
  /** Days that are kept as rows, and packed. */
  rowDays: 2,
  packedDays: 365,
  /** A message with its PUBACK on the wire: PUBLISH and PUBACK with 52 bytes of TCP and IP for each segment. */
  wireBytes: 250,
  /** A batch is stored with so many bytes for each message, and 220 for itself. [docs/stream#the-stream] */
  streamMessageBytes: 170,
  streamBatchBytes: 220,
  /** The greatest number of connections of a gateway; `npm run bench -- storm` has run with 10,000. */
  connections: 20_000,
  /** MB of memory of a node, and KB of a connection. */
  nodeMB: 300,
  connectionKB: 30,
  /** The share of its processor that a process may take, so that it answers in time. */
  utilization: 0.7,
  /** The greatest p99 in ms that a plan allows. It is low, because the real p99 is several times that of the model. */
  p99Ms: 10,
  /** A larger machine for PostgreSQL is rarely to be had: processors, and MB a second of its log. */
  databaseProcessors: 64,
  databaseLogMB: 150,
  /** The number of partitions of each kind of message: no more ingest nodes than that can share the work. [docs/stream#partitions] */
  partitions: 64,
} as const

/** An example, of no provider: a month of a virtual processor, of a GB of memory, of a TB of fast disk. */
export const EXAMPLE_PRICES = { vcpu: 25, memoryGB: 4, diskTB: 100 } as const
