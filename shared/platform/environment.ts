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
  /** Where the API is documented for its callers. */
  get documentationUrl() {
    return required("DOCUMENTATION_URL");
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
  /** Extended public keys of the environment, below which a Program without its own gets some; undefined where there are none. */
  get custodyKeys(): unknown {
    const text = required("CUSTODY_KEYS");
    return text === "" ? undefined : JSON.parse(text);
  },
  /** The keys of the environment's certificate authorities, the one that is to be the first CA first. */
  get authorityKeys(): readonly { readonly name: string; readonly keyArn: string }[] {
    return JSON.parse(required("AUTHORITY_KEYS"));
  },
  /** Where callbacks wait to be sent. */
  get callbackQueueUrl() {
    return required("CALLBACK_QUEUE_URL");
  },
  /** Where callbacks to endpoints that are not known to answer quickly wait, and all that are retried. */
  get slowEndpointQueueUrl() {
    return required("SLOW_ENDPOINT_QUEUE_URL");
  },
  /** Where callbacks are put that were given up. */
  get callbackDeadLettersUrl() {
    return required("CALLBACK_DEAD_LETTERS_URL");
  },
  /** Where events wait that are to be sent out. */
  get webhookQueueUrl() {
    return required("WEBHOOK_QUEUE_URL");
  },
  /** Where passcode callbacks and Tenants' alerts wait to be sent. */
  get alertQueueUrl() {
    return required("ALERT_QUEUE_URL");
  },
  /** Where alerts are put that were given up. */
  get alertDeadLettersUrl() {
    return required("ALERT_DEAD_LETTERS_URL");
  },
  /** The address that the platform's own emails come from. */
  get senderAddress() {
    return required("SENDER_ADDRESS");
  },
  /** The endpoints that move funds, as `METHOD /path`. */
  get fundsMoves() {
    return required("FUNDS_MOVES").split(",");
  },
  /** Whether the environment has a sandbox: only there bank deposits clear by a timer. */
  get hasSimulatedBank() {
    return required("SIMULATED_BANK") === "true";
  },
  get name() {
    return required("ENVIRONMENT_NAME");
  },
  /** Where STS is, if not at its own address: set for tests alone. */
  get stsEndpoint() {
    return process.env.AWS_ENDPOINT_URL_STS;
  },
  /** The folder of the function's code, by which its figures are told from the others'. */
  get functionFolder() {
    return required("POWERTOOLS_SERVICE_NAME");
  },
};
