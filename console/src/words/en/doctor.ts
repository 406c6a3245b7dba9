/** Texts of the doctor: events, faults and cures. */
export default {
  title: 'Doctor, live',
  waiting: 'Waiting for the first attempt',
  waitingForValue: 'Signed in, waiting for a value',
  alive: 'Values arrive',
  quiet:
    'Nothing has come from this device yet. Every attempt appears here within two seconds, also one that is refused. If the device is on and nothing appears, it does not reach this server: look at its network and at the address.',
  old: 'The newest state could not be loaded. What is shown is older.',
  settled: 'over',
  from: 'from',
  otherId: (id: string) =>
    `A device calls itself “${id}”, and nobody has this id. If it is yours, correct the id in the device.`,
  events: {
    settings: 'Settings asked',
    provisioning: 'Provisioning',
    certificate: 'Certificate asked',
    mqtt_sign_in: 'Sign-in by MQTT',
    tls_handshake: 'Connection by TLS',
    connected: 'Connected',
    disconnected: 'Connection ended',
    refused: 'Subscription refused',
    message: 'Message refused',
    value: 'Value stored',
  } as Record<string, string>,
  went: 'done',
  done: {
    settings_sent: 'served',
    session_opened: 'connected',
    enrollment_created: 'provisioned',
    already_provisioned: 'provisioned before',
    certificate_issued: 'issued',
    value_stored: 'on the chart',
  } as Record<string, string>,
  ends: {
    client_disconnected: 'by the device',
    connection_lost: 'broke',
    server_stopped: 'the server stopped',
    session_taken_over: 'connected again',
  } as Record<string, string>,
  faults: {
    device_unknown: { name: 'Unknown id', text: 'No group has a device with this id.' },
    device_not_registered: { name: 'Not registered', text: 'The group has no device with this id.' },
    device_not_provisioned: {
      name: 'Not provisioned',
      text: 'The device is registered, but the broker does not know it yet.',
    },
    bootstrap_key_wrong: {
      name: 'Wrong key',
      text: 'The key belongs to no group that has this device. It may be mistyped, or of before a flip. Put the present key into the device.',
    },
    bootstrap_key_not_allowed: {
      name: 'Group key not allowed',
      text: 'This is the key of the whole group. The group accepts only the key of the device itself.',
    },
    too_many_failures: {
      name: 'Too many wrong keys',
      text: 'After ten wrong keys in a minute the device has to wait. Correct the key; it may try again within a minute.',
    },
    group_disabled: {
      name: 'Group disabled',
      text: 'The enrollment group is disabled, so that none of its devices gets settings.',
    },
    client_unknown: {
      name: 'Unknown id',
      text: 'The broker has no device with this user name. The user name has to be the device id.',
    },
    client_key_wrong: {
      name: 'Wrong password',
      text: 'The password is none of the keys in the settings of the device. Fetch the settings, and sign in with “primary”.',
    },
    client_disabled: { name: 'Device disabled', text: 'The device is disabled at the broker.' },
    provider_unavailable: {
      name: 'Broker unavailable',
      text: 'The provider of the routing target did not answer as it should. Check its address and API key.',
    },
    server_certificate_refused: {
      name: 'TLS: certificate not trusted',
      text: 'The device ended the TLS handshake because it does not trust the certificate of this server. Give it the authority’s certificate (ca.crt), and let it connect to a host that the certificate names.',
    },
    tls_expected: {
      name: 'TLS: spoken in clear text',
      text: 'The device speaks without TLS to a port that takes only TLS. Switch TLS on in the device, or use the port without TLS.',
    },
    tls_not_expected: {
      name: 'TLS: at a port without it',
      text: 'The device speaks TLS to a port that takes only clear text. Use the port with TLS.',
    },
    tls_handshake_failed: {
      name: 'TLS: handshake failed',
      text: 'The device and the server found no common version or cipher of TLS. TLS 1.2 or later is needed.',
    },
    topic_not_allowed: {
      name: 'Wrong topic',
      text: 'A device may use topics below devices/ and its own id, and no others.',
    },
    unknown_topic: {
      name: 'Wrong topic',
      text: 'The message arrived, but the platform reads nothing on this topic. Nothing was stored.',
    },
    not_json: { name: 'Bad JSON', text: 'The message arrived, but it is not JSON. Nothing was stored.' },
    not_an_object: {
      name: 'Value not stored',
      text: 'The message is JSON, but no object: a value needs a name, such as {"temperature": 21.5}.',
    },
    bad_timestamp: {
      name: 'Value not stored',
      text: 'The timestamp is no time in ISO 8601, such as "2026-01-31T08:00:00Z". Leave it out, and the time of arrival counts.',
    },
    bad_name: { name: 'Value not stored', text: 'The name of a signal is not allowed.' },
    bad_value: { name: 'Value not stored', text: 'A value is of a kind that cannot be stored.' },
    refused_by_storage: {
      name: 'Value not stored',
      text: 'The database refused the values of this message.',
    },
    too_many_signals: { name: 'Value not stored', text: 'The message has too many signals.' },
    message_too_large: { name: 'Message too large', text: 'The broker ended the connection.' },
    protocol_error: {
      name: 'Broken protocol',
      text: 'What the device sent does not follow MQTT. Look at its client library.',
    },
    keep_alive_timeout: {
      name: 'Silent',
      text: 'Nothing came for one and a half keep-alive times, so the broker ended the connection.',
    },
    keys_rotated: {
      name: 'Keys replaced',
      text: 'The keys of the device were replaced while it was connected. It has to fetch its settings again.',
    },
    too_many_sessions: {
      name: 'Too many connections',
      text: 'The device has as many connections as it may have.',
    },
  } as Record<string, { name: string; text: string }>,
  hints: {
    comma: 'A comma stands where a decimal point should.',
    'single-quotes': 'JSON takes double quotes, not single ones.',
    'no-quotes':
      'The names have no double quotes. A shell may have removed them: put single quotes around the message.',
    'cut-off': 'The end is missing. The buffer of the device may be too small.',
    'not-a-number': 'JSON has no NaN, None or True: use null, true and false, or leave the value out.',
    'trailing-comma': 'There is a comma after the last entry.',
  },
  cures: {
    'copy-key': 'Copy the present key',
    'copy-settings-command': 'Copy the command for its settings',
    'copy-topic': 'Copy the right topic',
    'copy-payload': 'Copy a message that works',
    'copy-id': 'Copy the right id',
    'copy-tls-address': 'Copy the address with TLS',
    'copy-plain-address': 'Copy the address without TLS',
    'get-ca': 'Download ca.crt',
    'enable-group': 'Enable the group',
    'enable-client': 'Enable the device',
    register: 'Register the device',
    provision: 'Provision the device',
    'see-readiness': 'See who uses which key',
    'see-group': 'Open the group',
    'see-certificates': 'See its certificates',
    'see-enrolment': 'See who may enrol',
  },
}
