import type { Translation } from '../catalogue.ts'

const words: Translation<'doctor'> = {
  title: 'Diagnose, live',
  waiting: 'Wartet auf den ersten Versuch',
  waitingForValue: 'Angemeldet, wartet auf einen Wert',
  alive: 'Werte kommen an',
  quiet:
    'Von diesem Gerät ist noch nichts gekommen. Jeder Versuch erscheint hier innerhalb von zwei Sekunden, auch ein abgelehnter. Ist das Gerät an und nichts erscheint, erreicht es diesen Server nicht: Prüfen Sie sein Netz und die Adresse.',
  old: 'Der neueste Stand konnte nicht geladen werden. Gezeigt wird ein älterer.',
  settled: 'vorbei',
  from: 'von',
  otherId: (id) =>
    `Ein Gerät nennt sich „${id}“, und niemand hat diese Kennung. Ist es Ihres, berichtigen Sie die Kennung im Gerät.`,
  events: {
    settings: 'Einstellungen erfragt',
    provisioning: 'Bereitstellung',
    certificate: 'Zertifikat erfragt',
    mqtt_sign_in: 'Anmeldung per MQTT',
    tls_handshake: 'Verbindung per TLS',
    connected: 'Verbunden',
    disconnected: 'Verbindung beendet',
    refused: 'Abonnement abgelehnt',
    message: 'Nachricht abgelehnt',
    value: 'Wert gespeichert',
  },
  went: 'erledigt',
  done: {
    settings_sent: 'beantwortet',
    session_opened: 'verbunden',
    enrollment_created: 'bereitgestellt',
    already_provisioned: 'schon bereitgestellt',
    certificate_issued: 'ausgestellt',
    value_stored: 'im Diagramm',
  },
  ends: {
    client_disconnected: 'vom Gerät',
    connection_lost: 'abgebrochen',
    server_stopped: 'der Server hielt an',
    session_taken_over: 'neu verbunden',
  },
  faults: {
    device_unknown: { name: 'Unbekannte Kennung', text: 'Keine Gruppe hat ein Gerät mit dieser Kennung.' },
    device_not_registered: {
      name: 'Nicht registriert',
      text: 'Die Gruppe hat kein Gerät mit dieser Kennung.',
    },
    device_not_provisioned: {
      name: 'Nicht bereitgestellt',
      text: 'Das Gerät ist registriert, aber der Broker kennt es noch nicht.',
    },
    bootstrap_key_wrong: {
      name: 'Falscher Schlüssel',
      text: 'Der Schlüssel gehört zu keiner Gruppe, die dieses Gerät hat. Er ist vertippt oder von vor einem Wechsel. Geben Sie dem Gerät den jetzigen Schlüssel.',
    },
    bootstrap_key_not_allowed: {
      name: 'Gruppenschlüssel nicht erlaubt',
      text: 'Das ist der Schlüssel der ganzen Gruppe. Die Gruppe nimmt nur den Schlüssel des Geräts selbst.',
    },
    too_many_failures: {
      name: 'Zu viele falsche Schlüssel',
      text: 'Nach zehn falschen Schlüsseln in einer Minute muss das Gerät warten. Berichtigen Sie den Schlüssel; nach spätestens einer Minute darf es wieder.',
    },
    group_disabled: {
      name: 'Gruppe gesperrt',
      text: 'Die Gruppe ist gesperrt, deshalb bekommt keines ihrer Geräte Einstellungen.',
    },
    client_unknown: {
      name: 'Unbekannte Kennung',
      text: 'Der Broker hat kein Gerät mit diesem Benutzernamen. Der Benutzername muss die Gerätekennung sein.',
    },
    client_key_wrong: {
      name: 'Falsches Passwort',
      text: 'Das Passwort ist keiner der Schlüssel aus den Einstellungen des Geräts. Holen Sie die Einstellungen und melden Sie sich mit „primary“ an.',
    },
    client_disabled: { name: 'Gerät gesperrt', text: 'Das Gerät ist am Broker gesperrt.' },
    provider_unavailable: {
      name: 'Broker nicht verfügbar',
      text: 'Der Provider des Ziels antwortete nicht, wie er soll. Prüfen Sie seine Adresse und seinen API-Schlüssel.',
    },
    server_certificate_refused: {
      name: 'TLS: Zertifikat nicht vertraut',
      text: 'Das Gerät brach den TLS-Aufbau ab, weil es dem Zertifikat dieses Servers nicht vertraut. Geben Sie ihm das Zertifikat der Zertifizierungsstelle (ca.crt), und verbinden Sie es mit einem Host, den das Zertifikat nennt.',
    },
    tls_expected: {
      name: 'TLS: Klartext gesprochen',
      text: 'Das Gerät spricht ohne TLS mit einem Port, der nur TLS annimmt. Schalten Sie TLS im Gerät ein, oder nehmen Sie den Port ohne TLS.',
    },
    tls_not_expected: {
      name: 'TLS: an einem Port ohne TLS',
      text: 'Das Gerät spricht TLS mit einem Port, der nur Klartext annimmt. Nehmen Sie den Port mit TLS.',
    },
    tls_handshake_failed: {
      name: 'TLS: Aufbau gescheitert',
      text: 'Gerät und Server fanden keine gemeinsame Version oder Chiffre von TLS. Nötig ist TLS 1.2 oder neuer.',
    },
    topic_not_allowed: {
      name: 'Falsches Topic',
      text: 'Ein Gerät darf nur Topics unter devices/ und seiner Kennung verwenden.',
    },
    unknown_topic: {
      name: 'Falsches Topic',
      text: 'Die Nachricht kam an, aber die Plattform liest nichts auf diesem Topic. Nichts wurde gespeichert.',
    },
    not_json: {
      name: 'Kein gültiges JSON',
      text: 'Die Nachricht kam an, ist aber kein JSON. Nichts wurde gespeichert.',
    },
    not_an_object: {
      name: 'Wert nicht gespeichert',
      text: 'Die Nachricht ist JSON, aber kein Objekt: Ein Wert braucht einen Namen, etwa {"temperature": 21.5}.',
    },
    bad_timestamp: {
      name: 'Wert nicht gespeichert',
      text: 'Der Zeitstempel ist keine Zeit nach ISO 8601, etwa "2026-01-31T08:00:00Z". Ohne ihn gilt die Zeit der Ankunft.',
    },
    bad_name: { name: 'Wert nicht gespeichert', text: 'Der Name eines Signals ist nicht erlaubt.' },
    bad_value: {
      name: 'Wert nicht gespeichert',
      text: 'Ein Wert ist von einer Art, die nicht gespeichert werden kann.',
    },
    refused_by_storage: {
      name: 'Wert nicht gespeichert',
      text: 'Die Datenbank lehnte die Werte dieser Nachricht ab.',
    },
    too_many_signals: { name: 'Wert nicht gespeichert', text: 'Die Nachricht hat zu viele Signale.' },
    message_too_large: { name: 'Nachricht zu groß', text: 'Der Broker beendete die Verbindung.' },
    protocol_error: {
      name: 'Fehler im Protokoll',
      text: 'Was das Gerät sendet, ist kein MQTT. Prüfen Sie seine Client-Bibliothek.',
    },
    keep_alive_timeout: {
      name: 'Verstummt',
      text: 'Anderthalb Keep-alive-Zeiten lang kam nichts, deshalb beendete der Broker die Verbindung.',
    },
    keys_rotated: {
      name: 'Schlüssel ersetzt',
      text: 'Die Schlüssel des Geräts wurden ersetzt, während es verbunden war. Es muss seine Einstellungen neu holen.',
    },
    too_many_sessions: {
      name: 'Zu viele Verbindungen',
      text: 'Das Gerät hat so viele Verbindungen, wie es haben darf.',
    },
  },
  hints: {
    comma: 'Ein Komma steht, wo ein Dezimalpunkt stehen sollte.',
    'single-quotes': 'JSON nimmt doppelte Anführungszeichen, keine einfachen.',
    'no-quotes':
      'Den Namen fehlen die doppelten Anführungszeichen. Eine Shell kann sie entfernt haben: Setzen Sie einfache um die Nachricht.',
    'cut-off': 'Das Ende fehlt. Der Puffer des Geräts kann zu klein sein.',
    'not-a-number':
      'JSON kennt kein NaN, None oder True: Nehmen Sie null, true und false, oder lassen Sie den Wert weg.',
    'trailing-comma': 'Nach dem letzten Eintrag steht ein Komma.',
  },
  cures: {
    'copy-key': 'Jetzigen Schlüssel kopieren',
    'copy-settings-command': 'Befehl für seine Einstellungen kopieren',
    'copy-topic': 'Richtiges Topic kopieren',
    'copy-payload': 'Gültige Nachricht kopieren',
    'copy-id': 'Richtige Kennung kopieren',
    'copy-tls-address': 'Adresse mit TLS kopieren',
    'copy-plain-address': 'Adresse ohne TLS kopieren',
    'get-ca': 'ca.crt herunterladen',
    'enable-group': 'Gruppe freigeben',
    'enable-client': 'Gerät freigeben',
    register: 'Gerät registrieren',
    provision: 'Gerät bereitstellen',
    'see-readiness': 'Ansehen, wer welchen Schlüssel benutzt',
    'see-group': 'Gruppe öffnen',
    'see-certificates': 'Seine Zertifikate ansehen',
    'see-enrolment': 'Ansehen, wer Zertifikate holen darf',
  },
}

export default words
