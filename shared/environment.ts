/** The one place that reads environment variables. Each is required where it is asked for, and nowhere else. */
function required(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`The environment variable ${name} is not set.`);
  return value;
}

export const environment = {
  get issuingTable() {
    return required("ISSUING_TABLE");
  },
  get accountsTable() {
    return required("ACCOUNTS_TABLE");
  },
  get keyPepperSecretId() {
    return required("KEY_PEPPER_SECRET_ID");
  },
  get eventBusName() {
    return required("EVENT_BUS_NAME");
  },
  /** Where the compliance provider hosts its KYC pages. */
  get kycBaseUrl() {
    return required("KYC_BASE_URL");
  },
  /** Resolver addresses `host:port` for reverse DNS; none means the system's resolver. */
  get dnsServers() {
    return required("DNS_SERVERS")
      .split(",")
      .filter((server) => server !== "");
  },
  /** Origins on loopback to which callbacks may go although they are not public: of the local environment alone. */
  get allowedReceivers() {
    return required("ALLOWED_RECEIVERS")
      .split(",")
      .filter((origin) => origin !== "");
  },
  get name() {
    return required("ENVIRONMENT_NAME");
  },
};
