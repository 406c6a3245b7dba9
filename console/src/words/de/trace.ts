import type { Translation } from '../catalogue.ts'

const words: Translation<'trace'> = {
  title: 'Onboarding-Verlauf',
  what: 'Jeder Versuch eines Geräts, Einstellungen zu holen, bereitgestellt zu werden oder sich anzumelden, und warum er abgelehnt wurde.',
  search: 'Gerätekennung, ganz',
  device: 'Gerätekennung',
  noId: 'noch nicht genannt',
  attempt: 'Versuch',
  outcome: 'Ausgang',
  reason: 'Grund',
  at: 'Zuletzt',
  count: 'Anzahl',
  address: 'Adresse',
  kind: 'Versuch',
  outcomes: {
    succeeded: 'Gelungen',
    refused: 'Abgelehnt',
    failed: 'Gescheitert',
    unsuccessful: 'Abgelehnt oder gescheitert',
  },
  since: 'Zeit',
  spans: { '1h': 'in der letzten Stunde', '24h': 'am letzten Tag', '7d': 'in der letzten Woche' },
  sinceTime: (time) => `seit ${time}`,
  gone: 'Dieser Versuch steht nicht in der Liste, wie sie jetzt gefiltert und geladen ist.',
  kinds: {
    settings: 'Einstellungen',
    provisioning: 'Bereitstellung',
    certificate: 'Zertifikat',
    mqtt_sign_in: 'Anmeldung per MQTT',
    tls_handshake: 'TLS-Aufbau',
  },
  firstDevice: 'Gerät verbinden',
  emptyTitle: 'Noch keine Versuche',
  emptyText:
    'Sobald ein Gerät seine Einstellungen erfragt oder sich anmeldet, erscheint es hier, auch eines mit falscher Kennung oder falschem Schlüssel.',
  steps: 'Schritte',
  first: 'Zuerst',
  pages: 'Seiten',
  openDevice: 'Gerät öffnen',
  openGroup: 'Seine Gruppe öffnen',
  duration: 'Dauer',
  doctor: (deviceId) => `Was mit ${deviceId} geschieht`,
}

export default words
