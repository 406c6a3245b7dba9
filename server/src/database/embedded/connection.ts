export interface Connection {
  /** The directory of a Unix socket. */
  host: string
  port: number
  user: string
  password: string
  database: string
}

/** For programs that accept only a URL. Its host is a placeholder: the socket's directory is in the query. */
export const connectionUrl = ({ host, port, user, password, database }: Connection): string =>
  `postgresql://${user}:${password}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`
