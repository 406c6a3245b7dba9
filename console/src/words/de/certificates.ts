import type { Translation } from '../catalogue.ts'

const some = (count: number, one: string, many: string) => (count === 1 ? one : many)

const words: Translation<'certificates'> = {
  title: 'Zertifikate',
  what: 'Womit sich Geräte statt mit Schlüsseln anmelden. Sie holen sie mit EST und erneuern sie selbst.',
  tabs: { list: 'Zertifikate', authorities: 'Zertifizierungsstellen' },
  search: 'Gerätekennung, ganz',
  device: 'Gerät',
  state: 'Zustand',
  states: {
    issued: 'Noch nicht benutzt',
    active: 'In Gebrauch',
    superseded: 'Abgelöst',
    expired: 'Abgelaufen',
    revoked: 'Widerrufen',
  },
  begins: 'Gültig ab',
  ends: 'Endet',
  tier: 'Nachweis der Identität',
  tiers: { 1: '1: Schlüssel der Gruppe', 2: '2: abgeleiteter Schlüssel', 3: '3: Hersteller' },
  issued: 'Ausgestellt',
  connected: 'Zuerst verbunden',
  superseded: 'Abgelöst',
  serial: 'Seriennummer',
  fingerprint: 'Fingerabdruck (SHA-256)',
  notYet: 'noch nicht',
  spans: {
    '7d': 'in den nächsten 7 Tagen',
    '30d': 'in den nächsten 30 Tagen',
    '90d': 'in den nächsten 90 Tagen',
  },
  weekFrom: (date) => `in der Woche ab ${date}`,
  cut: 'Mehr als 3.000 eines Zustands enden vor dieser Zeit. Wählen Sie eine kürzere Spanne.',
  emptyTitle: 'Noch kein Zertifikat',
  emptyText:
    'Erlauben Sie den Geräten einer Gruppe, Zertifikate zu holen, unter den Zertifikaten dieser Gruppe; dann erscheinen sie hier.',
  chooseGroup: 'Gruppe wählen',
  forecast: {
    title: 'Was wann endet',
    text: (count, shown, weeks) =>
      count === 0
        ? `Kein benutzbares Zertifikat endet in den kommenden ${weeks} Wochen.`
        : some(
            count,
            `Ein benutzbares Zertifikat endet in den kommenden ${weeks} Wochen. Geräte erneuern ihres vorher.`,
            `${shown} benutzbare Zertifikate enden in den kommenden ${weeks} Wochen. Geräte erneuern ihre vorher.`,
          ),
    week: (date, count, shown) =>
      count === 0
        ? `Woche ab ${date}: keines`
        : some(count, `Woche ab ${date}: eines endet`, `Woche ab ${date}: ${shown} enden`),
  },
  panelTitle: 'Zertifikat',
  savePem: 'Als PEM sichern',
  groupIsGone: 'Seine Gruppe wurde gelöscht; es lässt sich nur mit seiner Zertifizierungsstelle widerrufen.',
  revoke: 'Zertifikat widerrufen',
  revokeTitle: 'Dieses Zertifikat widerrufen?',
  revokeText: 'Es lässt sich nicht mehr benutzen und steht auf der Sperrliste.',
  revokeUsedText:
    'Sitzungen des Geräts, die damit begannen, enden sofort. Es lässt sich nicht mehr benutzen und steht auf der Sperrliste.',
  revokeAll: 'Alle Zertifikate widerrufen',
  revokeAllTitle: 'Alle Zertifikate dieses Geräts widerrufen?',
  revokeAfter:
    'Das Gerät bleibt registriert und darf sich ein neues holen. Entfernen Sie ein gestohlenes Gerät lieber aus seiner Gruppe. Ein Widerruf lässt sich nicht rückgängig machen.',
  revoked: 'Widerrufen',
  reason: 'Grund',
  reasons: {
    unspecified: 'Nicht angegeben',
    key_compromise: 'Andere kennen seinen Schlüssel',
    ca_compromise: 'Andere kennen den Schlüssel der Zertifizierungsstelle',
    affiliation_changed: 'Es hat einen anderen Eigentümer',
    superseded: 'Es wurde ersetzt',
    cessation_of_operation: 'Es ist nicht mehr in Gebrauch',
    privilege_withdrawn: 'Es darf sich nicht mehr verbinden',
  },
  noneTitle: 'Kein Zertifikat',
  noneText: 'Das Gerät hat keines geholt. Es braucht keines, wo es sich mit einem Schlüssel anmeldet.',
  groupSettings: 'Zertifikate seiner Gruppe',
  authorities: {
    title: 'Zertifizierungsstellen',
    id: 'Id',
    subject: 'Name',
    kind: 'Art',
    kinds: { root: 'Wurzel', issuing: 'Ausstellend' },
    status: 'Zustand',
    states: { active: 'Aktiv', retired: 'Abgelöst', revoked: 'Widerrufen' },
    origin: 'Herkunft',
    origins: { built_in: 'Hier gemacht', imported: 'Eigene' },
    begins: 'Gültig ab',
    ends: 'Endet',
    retired: 'Abgelöst',
    revoked: 'Widerrufen',
    notYet: 'noch nicht',
    emptyTitle: 'Noch keine Zertifizierungsstelle',
    emptyText:
      'Die erste entsteht, wenn ein Gerät das erste Mal ein Zertifikat holt. Sie können sie auch jetzt anlegen oder Ihre eigene mitbringen.',
    makeFirst: 'Erste Stelle anlegen',
    makeFirstText:
      'Legt eine Wurzel für 20 Jahre und eine ausstellende Stelle für 10 an. Ihre Schlüssel werden verschlüsselt gespeichert.',
    rotate: 'Stelle wechseln',
    rotateText:
      'Von nun an stellt eine neue Stelle unter derselben Wurzel aus. Die jetzige ist abgelöst: Ihre Zertifikate verbinden und erneuern sich, bis sie enden.',
    import: 'Eigene mitbringen',
    importText:
      'Von nun an stellt Ihre Stelle aus. Die jetzige ist abgelöst: Ihre Zertifikate verbinden und erneuern sich, bis sie enden.',
    certificates: 'Zertifikate',
    certificatesHint: 'In PEM: zuerst das der ausstellenden Stelle, dann jeder Aussteller bis zur Wurzel.',
    privateKey: 'Privater Schlüssel',
    privateKeyHint: 'In PEM, unverschlüsselt. Er wird verschlüsselt gespeichert und nie gezeigt.',
    savePem: 'Kette als PEM sichern',
    rootText: 'Eine Wurzel wird nicht widerrufen. Widerrufen Sie die ausstellende Stelle darunter.',
    revoke: 'Stelle widerrufen',
    revokeTitle: 'Diese Zertifizierungsstelle widerrufen?',
    revokeText:
      'Jedes Zertifikat, das sie ausgestellt hat, ist damit widerrufen: Diese Geräte werden sofort getrennt und müssen sich ein neues holen. Das lässt sich nicht rückgängig machen.',
    revokeActiveText:
      'Sie ist die, die jetzt ausstellt. Jedes Zertifikat, das sie ausgestellt hat, ist damit widerrufen: Diese Geräte werden sofort getrennt und müssen sich ein neues holen. Die nächste Anfrage legt eine neue Stelle an. Das lässt sich nicht rückgängig machen.',
  },
}

export default words
