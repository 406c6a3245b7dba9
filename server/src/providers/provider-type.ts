/** Who keeps the clients of a provider: this platform's broker, whoever imports their data, or an Azure IoT Hub. */
export const providerTypes = ['mqtt', 'import', 'iothub'] as const
export type ProviderType = (typeof providerTypes)[number]
