/** A real SMTP server on loopback that records mails. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

export interface MailServer extends AsyncDisposable {
  url: string
  /** Received mails, with the line breaks of quoted-printable removed. */
  mails: { to: string[]; from: string; text: string }[]
  /** While true, it refuses mail temporarily. */
  refuses: boolean
  /** While true, it refuses all addresses. */
  rejects: boolean
}

/** @param authorize if given, the server requires a user and password and checks them with it */
export async function startMailServer({
  authorize,
}: { authorize?: () => boolean } = {}): Promise<MailServer> {
  const mails: MailServer['mails'] = []
  const server = new SMTPServer({
    disabledCommands: authorize ? ['STARTTLS'] : ['AUTH', 'STARTTLS'],
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) =>
      authorize?.() ? done(null, { user: 'gangway' }) : done(refusal(535, 'authentication failed')),
    onRcptTo: (_address, _session, done) => done(handle.rejects ? refusal(550, 'no such user') : null),
    onData: (stream, session, done) => {
      const receive = (raw: string) => {
        if (handle.refuses) return done(refusal(451, 'not now'))
        const { mailFrom, rcptTo } = session.envelope
        mails.push({
          to: rcptTo.map((one) => one.address),
          from: mailFrom ? mailFrom.address : '',
          text: decode(raw),
        })
        done()
      }
      text(stream).then(receive, done)
    },
  })
  // A client may be killed in the middle of a mail.
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  const handle: MailServer = {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    refuses: false,
    rejects: false,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return handle
}

/** Quoted-printable, as far as our mails need it. */
const decode = (raw: string) => raw.replace(/=\r\n/g, '').replaceAll('=3D', '=')

const refusal = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode })
