/** Where the clients of a provider connect: the built-in broker, nowhere (their data is imported), or an Azure IoT Hub. */
export const providerTypes = ['mqtt', 'import', 'iothub'] as const
export type ProviderType = (typeof providerTypes)[number]
