/** What is taken for granted. The first ones are measured elsewhere in this repository, the others are to be chosen. */
export const ASSUMPTIONS = {
  /** Of a message, as in the measured load. */
  values: 3,
  /** Packed bytes of a message, and of each of its values. [docs/operating#history-and-growth] */
  packedMessageBytes: 9,
  packedValueBytes: 0.58,
  /** Days that are kept as rows, and packed. */
  rowDays: 2,
  packedDays: 365,
  /** A message with its PUBACK on the wire: PUBLISH and PUBACK with 52 bytes of TCP and IP for each segment. */
  wireBytes: 250,
  /** A batch is stored with so many bytes for each message, and 150 for itself. [docs/stream#the-stream] */
  streamMessageBytes: 170,
  streamBatchBytes: 150,
  /** Of one gateway; `npm run bench -- storm` has run with 10,000. */
  connections: 20_000,
  /** MB of memory of a node, and KB of a connection. */
  nodeMB: 300,
  connectionKB: 30,
  /** The share of its processor that a process may take, so that it answers in time. */
  utilization: 0.7,
  /** The model says too little of the slowest percent: ms. */
  p99Ms: 10,
  /** A larger machine for PostgreSQL is rarely to be had: processors, and MB a second of its log. */
  databaseProcessors: 64,
  databaseLogMB: 150,
  /** Of each kind of message: more ingest nodes cannot share the work. [docs/stream#partitions] */
  partitions: 64,
} as const

/** An example, of no provider: a month of a virtual processor, of a GB of memory, of a TB of fast disk. */
export const EXAMPLE_PRICES = { vcpu: 25, memoryGB: 4, diskTB: 100 } as const
