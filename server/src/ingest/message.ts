/** What a device said, as it arrived. */

/** Who said it: what ingest has to know of a provider client. */
export interface Device {
  /** `provider_clients.number` */
  number: number
  id: string
  tenantId: string
  /** `tenants.number` */
  tenantNumber: number
  providerId: string
}

export interface DeviceMessage {
  device: Device
  topic: string
  payload: Buffer
  receivedAtMs: number
  /** The MQTT packet identifier; 0 for QoS 0 and wills, which have none. */
  packetId: number
  /** Sent before, as the device says (DUP), or tried before by us: it may be stored already. */
  isRepeat: boolean
}
