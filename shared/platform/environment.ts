/** Environment variables are read only here. A missing one that is required throws when read. */
function required(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`The environment variable ${name} is not set.`);
  return value;
}

function list(name: string): string[] {
  return required(name)
    .split(",")
    .filter((value) => value !== "");
}

/** Text, by its variable. */
const texts = {
  issuingTable: "ISSUING_TABLE",
  accountsTable: "ACCOUNTS_TABLE",
  vaultTable: "VAULT_TABLE",
  /** The name of the function that has card numbers and PINs. */
  vaultFunction: "VAULT_FUNCTION",
  keyPepperSecretId: "KEY_PEPPER_SECRET_ID",
  eventBusName: "EVENT_BUS_NAME",
  documentationUrl: "DOCUMENTATION_URL",
  kycBaseUrl: "KYC_BASE_URL",
  /** Base URL of the host that connected parties send to. */
  webhookBaseUrl: "WEBHOOK_BASE_URL",
  filesBucket: "FILES_BUCKET",
  evidenceBucket: "EVIDENCE_BUCKET",
  recordsBucket: "RECORDS_BUCKET",
  evidenceQueueUrl: "EVIDENCE_QUEUE_URL",
  filesQueueUrl: "FILES_QUEUE_URL",
  callbackQueueUrl: "CALLBACK_QUEUE_URL",
  /** Takes callbacks to slow or unproven endpoints, and all retries. */
  slowEndpointQueueUrl: "SLOW_ENDPOINT_QUEUE_URL",
  callbackDeadLettersUrl: "CALLBACK_DEAD_LETTERS_URL",
  /** Takes replays, and what the relay could not fan out. */
  fanOutQueueUrl: "FANOUT_QUEUE_URL",
  jobsQueueUrl: "JOBS_QUEUE_URL",
  processorQueueUrl: "PROCESSOR_QUEUE_URL",
  /** The name of the function that applies the processor's events. */
  processorFunction: "PROCESSOR_FUNCTION",
  /** Takes passcode callbacks and Tenants' alerts. */
  alertQueueUrl: "ALERT_QUEUE_URL",
  alertDeadLettersUrl: "ALERT_DEAD_LETTERS_URL",
  senderAddress: "SENDER_ADDRESS",
  name: "ENVIRONMENT_NAME",
} as const;

const parsed = {
  /** Where network messages are listened for. */
  get listener() {
    return {
      host: required("LISTENER_HOST"),
      port: Number(required("LISTENER_PORT")),
      /** The load balancer asks here whether the listener can answer; 0 takes a free one. */
      healthPort: Number(required("LISTENER_HEALTH_PORT")),
      dialect: required("LISTENER_DIALECT"),
      /** How many may be under way at once. */
      messages: Number(required("LISTENER_MESSAGES")),
    };
  },
  /** By what the listener and the network know each other. */
  get listenerDoor() {
    return {
      /** Has the listener's certificate and key. */
      certificateSecretId: required("LISTENER_CERTIFICATE_SECRET_ID"),
      truststoreBucket: required("TRUSTSTORE_BUCKET"),
      /** Common names of the network's certificates. */
      clients: list("LISTENER_CLIENTS"),
    };
  },
  /** ARNs of the vault's keys in KMS, one for each purpose. */
  get vaultKeys() {
    return {
      number: required("NUMBER_KEY"),
      numberIndex: required("NUMBER_INDEX_KEY"),
      cvv: required("CVV_KEY"),
      cavv: required("CAVV_KEY"),
      accountUpdate: required("ACCOUNT_UPDATE_KEY"),
      device: required("DEVICE_KEY"),
    };
  },
  /** ARNs of keys of AWS Payment Cryptography. Undefined where the vault has keys of its own. */
  get paymentCryptography(): unknown {
    const text = required("PAYMENT_CRYPTOGRAPHY");
    return text === "" ? undefined : JSON.parse(text);
  },
  /** By what phones' wallets are known, and whether the sandbox's stands in for them. */
  get wallets(): unknown {
    return JSON.parse(required("WALLETS"));
  },
  /** Which keys compute the codes of new numbers, and the values of new PINs. */
  get cardKeyIndex() {
    return Number(required("CARD_KEY_INDEX"));
  },
  /** Replaces the service's own address in tests. */
  get paymentCryptographyEndpoint() {
    return process.env.AWS_ENDPOINT_URL_PAYMENT_CRYPTOGRAPHY_DATA;
  },
  /** Resolver addresses `host:port` for reverse DNS; none means the system's resolver. */
  get dnsServers() {
    return list("DNS_SERVERS");
  },
  /** Loopback origins that callbacks can reach. Only in the local environment. */
  get allowedReceivers() {
    return list("ALLOWED_RECEIVERS");
  },
  /** Extended public keys for Programs without their own. Undefined if there are none. */
  get custodyKeys(): unknown {
    const text = required("CUSTODY_KEYS");
    return text === "" ? undefined : JSON.parse(text);
  },
  /** The environment's CA keys. The first becomes the first CA. */
  get authorityKeys(): readonly { readonly name: string; readonly keyArn: string }[] {
    return JSON.parse(required("AUTHORITY_KEYS"));
  },
  /** The mode of Object Lock. */
  get evidenceLock() {
    return required("EVIDENCE_LOCK") as "COMPLIANCE" | "GOVERNANCE";
  },
  /** How long an invocation works before the next one goes on with a file. */
  get handOverMs() {
    return Number(process.env.HAND_OVER_MS ?? 8_000);
  },
  /** The endpoints that move funds, as `METHOD /path`. */
  get fundsMoves() {
    return list("FUNDS_MOVES");
  },
  /** Whether bank deposits clear by a timer: only in environments with a sandbox. */
  get hasSimulatedBank() {
    return required("SIMULATED_BANK") === "true";
  },
  /**
   * Whether a Tenant sets collecting accounts and connections by itself: only in environments with
   * a sandbox. In others they wait for the operator.
   */
  get isSelfService() {
    return required("SELF_SERVICE") === "true";
  },
  /** Whether another region has a copy of the tables. */
  get hasReplica() {
    return process.env.HAS_REPLICA === "true";
  },
  /** The SDK's variables that replace STS's own address. */
  get endpoints() {
    const { AWS_ENDPOINT_URL_STS, AWS_ENDPOINT_URL } = process.env;
    return { AWS_ENDPOINT_URL_STS, AWS_ENDPOINT_URL };
  },
  /** Whether this is a function of Lambda: no test, and no tool. */
  get isFunction() {
    return process.env.AWS_LAMBDA_FUNCTION_NAME !== undefined;
  },
  /** The function's folder, in its log lines and metrics. Undefined in a command. */
  get serviceName() {
    return process.env.SERVICE_NAME;
  },
  /** DEBUG, INFO, WARN, ERROR or SILENT. Anything else means INFO. */
  get logLevel() {
    return (process.env.LOG_LEVEL ?? "INFO").toUpperCase();
  },
  /** X-Ray's, which Lambda sets for each invocation: `Root=<id>;Parent=…` */
  get traceHeader() {
    return process.env._X_AMZN_TRACE_ID;
  },
  get traceId() {
    const [, id] = /Root=([^;]+)/.exec(parsed.traceHeader ?? "") ?? [];
    return id;
  },
};

export const environment = Object.defineProperties(
  parsed as typeof parsed & Readonly<Record<keyof typeof texts, string>>,
  Object.fromEntries(
    Object.entries(texts).map(([name, variable]) => [name, { get: () => required(variable) }]),
  ),
);
