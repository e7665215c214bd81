import type { FunctionName } from "../../infra/constructs/table-permissions.ts";
import {
  tablePermissions,
  toPartitions,
  vaultPermissions,
} from "../../infra/constructs/table-permissions.ts";
import type { VaultCaller } from "../../shared/contract/vault.ts";

const useKey = ["kms:Decrypt", "kms:DescribeKey"];
const useKeyToWrite = [
  ...useKey,
  "kms:Encrypt",
  "kms:GenerateDataKey",
  "kms:GenerateDataKeyWithoutPlaintext",
  "kms:ReEncryptFrom",
  "kms:ReEncryptTo",
];
/** What each of them may do. */
export const everyFunction = [
  ...on("own log", ["logs:CreateLogStream", "logs:PutLogEvents"]),
  ...on("*", ["xray:PutTelemetryRecords", "xray:PutTraceSegments"]),
];

/**
 * What the table of permissions has for a function, with the use of the key that its tables are
 * encrypted by.
 */
function itemsFor(folder: FunctionName): string[] {
  const { issuing = [], accounts = [] } = tablePermissions[folder];
  const writes = [...issuing, ...accounts].some((right) => /^(Put|Update|Delete|BatchWrite)/.test(right));
  return [
    ...onItems("issuing", "IssuingTable", folder),
    ...onItems("accounts", "AccountsTable", folder),
    ...on("DataKey via dynamodb", writes ? useKeyToWrite : useKey),
  ];
}

function onItems(name: "issuing" | "accounts", table: string, folder: FunctionName): string[] {
  return (tablePermissions[folder][name] ?? []).map((right) => {
    const [action, index] = right.split(" ");
    const partitions = toPartitions(right);
    if (partitions !== undefined) return `dynamodb:${action} on ${table} in ${partitions}`;
    return `dynamodb:${action} on ${table}${index === undefined ? "" : `/index/${index}`}`;
  });
}

const readPepper = [
  ...on("KeyPepper", ["secretsmanager:GetSecretValue"]),
  "kms:Decrypt on DataKey via secretsmanager",
];

const consume = (queue: string) =>
  on(queue, ["sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"]);
const followStream = on("IssuingTable stream", [
  "dynamodb:DescribeStream",
  "dynamodb:GetRecords",
  "dynamodb:GetShardIterator",
  "dynamodb:ListStreams",
]);
const send = (...queues: string[]) => on(queues, ["sqs:SendMessage"]);
const sendCallbacks = [
  ...itemsFor("callback-delivery"),
  ...send("SlowCallbacksQueue", "CallbackDeliveryDeadLettersQueue"),
];

const askProcessor = ["lambda:InvokeFunction on processor-events"];
const askVault = (caller: VaultCaller) => [`lambda:InvokeFunction on the vault as ${caller}`];

const usagePlans = ["reads", "writes", "fundsMoves"].flatMap((kind) =>
  ["highest", "raised", "standard"].map((tier) => `UsagePlans${kind}${tier}`),
);
const gateway = "arn:aws:apigateway:eu-west-1::";
const keysOf = (plan: string) => `${gateway}/usageplans/${plan}/keys`;
const makeUsageKeys = [
  ...on(`${gateway}/apikeys`, ["apigateway:GET", "apigateway:POST"]),
  ...on(`${gateway}/usageplans`, ["apigateway:GET"]),
  ...on([...usagePlans, "UsagePlanssandbox"].map(keysOf), ["apigateway:POST"]),
];
const moveUsageKeys = [
  ...makeUsageKeys,
  ...on(
    usagePlans.map((plan) => `${keysOf(plan)}/*`),
    ["apigateway:DELETE"],
  ),
];

/** Files of payments for the bank. */
const paymentFiles = [
  ...on("Files/out/bank/*", ["s3:GetObject", "s3:PutObject"]),
  ...on("DataKey via s3", ["kms:Decrypt", "kms:GenerateDataKey"]),
];

/** Closed months of the journal. */
const readRecords = [...on("Records/journal/*", ["s3:GetObject"]), ...on("DataKey via s3", ["kms:Decrypt"])];

/**
 * All that each function may do, beyond its log and traces: a right that is not here fails the
 * test.
 */
export const permissions: Record<string, string[]> = {
  authorizer: [...itemsFor("authorizer"), ...readPepper],
  cardholders: itemsFor("cardholders"),
  cards: [...itemsFor("cards"), ...askVault("cards"), ...readRecords],
  bulk: [
    ...itemsFor("bulk"),
    ...on("Files/bulk/*", ["s3:PutObject", "s3:DeleteObject"]),
    "kms:GenerateDataKey on DataKey via s3",
  ],
  wallets: itemsFor("wallets"),
  reports: [
    ...itemsFor("reports"),
    ...on("Files/program-reports/*", ["s3:GetObject"]),
    "kms:Decrypt on DataKey via s3",
  ],
  ledger: [...itemsFor("ledger"), ...on("Files/ledgers/*", ["s3:GetObject"]), ...readRecords],
  otp: itemsFor("otp"),
  authentications: itemsFor("authentications"),
  controls: itemsFor("controls"),
  statements: [...itemsFor("statements"), ...on("Files/statements/*", ["s3:GetObject"]), ...readRecords],
  disputes: [
    ...itemsFor("disputes"),
    ...on("Evidence/uploads/*", ["s3:PutObject"]),
    ...on("Evidence/evidence/*", ["s3:GetObject"]),
    ...on("DataKey via s3", ["kms:Decrypt", "kms:GenerateDataKey"]),
  ],
  tokens: itemsFor("tokens"),
  "external-accounts": [...itemsFor("external-accounts"), ...askVault("accounts")],
  payouts: itemsFor("payouts"),
  webhooks: itemsFor("webhooks"),
  sandbox: [...itemsFor("sandbox"), ...askVault("sandbox"), ...paymentFiles],
  settlements: itemsFor("settlements"),
  operator: [
    ...itemsFor("operator"),
    ...readPepper,
    ...moveUsageKeys,
    ...askVault("operator"),
    ...paymentFiles,
    ...on(keysOf("UsagePlansaccount"), ["apigateway:POST"]),
  ],
  account: [...itemsFor("account"), ...readPepper, ...makeUsageKeys],
  "connection-webhooks": [
    ...itemsFor("connection-webhooks"),
    ...send("ProcessorEventsQueue"),
    ...askProcessor,
  ],
  // And the keys of the environment's CAs, which no other function may use.
  certificates: itemsFor("certificates"),
  evidence: [
    ...itemsFor("evidence"),
    ...consume("EvidenceQueue"),
    ...send("EvidenceQueue"),
    ...on("Evidence/uploads/*", ["s3:GetObject", "s3:DeleteObject"]),
    ...on("Evidence/evidence/*", ["s3:PutObject", "s3:PutObjectRetention"]),
    ...on("Evidence", ["s3:ListBucket"]),
    ...on("DataKey via s3", ["kms:Decrypt", "kms:GenerateDataKey"]),
  ],
  files: [
    ...itemsFor("files"),
    ...askVault("files"),
    ...consume("FilesQueue"),
    ...send("FilesQueue"),
    ...on(["Files/in/*", "Files/progress/*", "Files/reports/*"], ["s3:GetObject"]),
    ...on(["Files/in/*", "Files/progress/*"], ["s3:DeleteObject"]),
    ...on(["Files/progress/*", "Files/reports/*"], ["s3:PutObject"]),
    ...on("Files", ["s3:ListBucket"]),
    ...on("DataKey via s3", ["kms:Decrypt", "kms:GenerateDataKey"]),
  ],
  deadlines: [
    ...itemsFor("deadlines"),
    ...askVault("deadlines"),
    ...on("Files/out/bank/*", ["s3:PutObject"]),
    "kms:GenerateDataKey on DataKey via s3",
    ...send("SlowCallbacksQueue", "AlertDeliveryQueue"),
    ...moveUsageKeys,
  ],
  "alert-delivery": [
    ...itemsFor("alert-delivery"),
    ...consume("AlertDeliveryQueue"),
    ...send("AlertDeliveryQueue", "AlertDeliveryDeadLettersQueue"),
    ...on("the sender's domain", ["ses:SendEmail"]),
  ],
  "webhook-fanout": [
    ...itemsFor("webhook-fanout"),
    ...consume("WebhookFanoutQueue"),
    ...send("CallbackDeliveryQueue", "SlowCallbacksQueue", "WebhookFanoutQueue"),
  ],
  "background-jobs": [
    ...readRecords,
    ...itemsFor("background-jobs"),
    ...consume("BackgroundJobsQueue"),
    ...send("BackgroundJobsQueue"),
    ...on(
      ["statements", "ledgers", "report-parts", "program-reports"].map((folder) => `Files/${folder}/*`),
      ["s3:GetObject", "s3:PutObject"],
    ),
    ...on("Files/bulk/*", ["s3:GetObject", "s3:DeleteObject"]),
    ...on("DataKey via s3", ["kms:Decrypt", "kms:GenerateDataKey"]),
  ],
  "callback-delivery": [...sendCallbacks, ...consume("CallbackDeliveryQueue")],
  "callback-delivery to slow endpoints": [...sendCallbacks, ...consume("SlowCallbacksQueue")],
  "processor-events": [...itemsFor("processor-events"), ...consume("ProcessorEventsQueue")],
  "outbox-relay": [
    ...itemsFor("outbox-relay"),
    ...followStream,
    ...on("EventBus", ["events:PutEvents"]),
    ...send("OutboxRelayGivenUpQueue", "CallbackDeliveryQueue", "SlowCallbacksQueue"),
  ],
  vault: [
    ...itemsFor("vault"),
    ...on(
      "VaultTable",
      vaultPermissions.map((action) => `dynamodb:${action}`),
    ),
    ...on("VaultDataKey via dynamodb", useKeyToWrite),
    ...on("NumberKey", ["kms:Decrypt", "kms:GenerateDataKey"]),
    ...on(["NumberIndexKey", "CvvKey", "CavvKey", "AccountUpdateKey"], ["kms:GenerateMac"]),
    ...on("DeviceKey", ["kms:DeriveSharedSecret", "kms:GetPublicKey"]),
  ],
  "list-indexer": [...itemsFor("list-indexer"), ...followStream, ...send("ListIndexerGivenUpQueue")],
};

/** What the certificates function may do with the CAs' keys, by their names. */
export const signWith = (keys: readonly string[]) =>
  on(
    keys.map((key) => `AuthorityKey${key}`),
    ["kms:GetPublicKey", "kms:Sign"],
  );

function on(resources: string | string[], actions: string[]): string[] {
  return [resources].flat().flatMap((resource) => actions.map((action) => `${action} on ${resource}`));
}
