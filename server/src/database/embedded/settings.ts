/** PostgreSQL settings for ingesting telemetry with 2 to 4 cores and about 1 GB of memory for the database. */
export type Settings = Record<string, string | number>

export const defaultSettings: Settings = {
  // Only reachable by a Unix socket in a directory of mode 0700.
  listen_addresses: '',
  unix_socket_permissions: '0700',
  // The password is long and random: more iterations would slow down connections without making it safer.
  scram_iterations: 1,
  max_connections: 100,

  // Acknowledged messages must be on the disk.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',

  shared_buffers: '192MB',
  effective_cache_size: '512MB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  // Parallel queries use this first; /dev/shm has only 64 MB in many containers.
  min_dynamic_shared_memory: '32MB',
  // Day partitions: one query may lock hundreds of tables and indexes.
  max_locks_per_transaction: 256,

  wal_compression: 'on',
  wal_buffers: '16MB',
  min_wal_size: '256MB',
  max_wal_size: '2GB',
  checkpoint_timeout: '10min',
  random_page_cost: 1.1,
  jit: 'off',

  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '[%p %b] ',
  log_checkpoints: 'off',
  // Statements may contain secrets.
  log_min_error_statement: 'panic',
  logging_collector: 'off',
  log_destination: 'stderr',
}

export const settingArguments = (settings: Settings) =>
  Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
