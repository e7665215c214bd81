const read = ["dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query"];
const readWrite = [
  ...read,
  "dynamodb:ConditionCheckItem",
  "dynamodb:DeleteItem",
  "dynamodb:PutItem",
  "dynamodb:UpdateItem",
];
const indexes = ["IssuingTable/index/by-collection", "IssuingTable/index/by-due"];
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
const readAccounts = [...on("AccountsTable", read), ...on("DataKey via dynamodb", useKey)];
const changeIssuing = [
  ...on("IssuingTable", readWrite),
  ...on(indexes, ["dynamodb:Query"]),
  ...on("DataKey via dynamodb", useKeyToWrite),
];
const readPepper = [
  ...on("KeyPepper", ["secretsmanager:GetSecretValue"]),
  "kms:Decrypt on DataKey via secretsmanager",
];

const consume = (queue: string) =>
  on(queue, [
    "sqs:ChangeMessageVisibility",
    "sqs:DeleteMessage",
    "sqs:GetQueueAttributes",
    "sqs:GetQueueUrl",
    "sqs:ReceiveMessage",
  ]);
const send = (...queues: string[]) => on(queues, ["sqs:SendMessage"]);
const sendCallbacks = [...changeIssuing, ...send("CallbackDetourQueue", "CallbackDeliveryDeadLettersQueue")];

const usagePlans = ["reads", "writes", "fundsMoves"].flatMap((kind) =>
  ["highest", "raised", "standard"].map((tier) => `UsagePlans${kind}${tier}`),
);
const gateway = "arn:aws:apigateway:eu-west-1::";
const keysOf = (plan: string) => `${gateway}/usageplans/${plan}/keys`;
const makeUsageKeys = [
  ...on(`${gateway}/apikeys`, ["apigateway:GET", "apigateway:POST"]),
  ...on(`${gateway}/usageplans`, ["apigateway:GET"]),
  ...on([...usagePlans, "UsagePlansaccount", "UsagePlanssandbox"].map(keysOf), ["apigateway:POST"]),
];
const moveUsageKeys = [
  ...makeUsageKeys,
  ...on(
    usagePlans.map((plan) => `${keysOf(plan)}/*`),
    ["apigateway:DELETE"],
  ),
];

const changeAccounts = [...changeIssuing, ...on("AccountsTable", readWrite), ...readPepper];

/** All that each function may do, beyond its log and traces: a right that is not here fails the test. */
export const rights: Record<string, string[]> = {
  authorizer: [...readAccounts, ...readPepper],
  cardholders: changeIssuing,
  cards: [...changeIssuing, ...readAccounts],
  wallets: [...changeIssuing, ...readAccounts],
  otp: changeIssuing,
  webhooks: changeIssuing,
  sandbox: [...changeIssuing, ...readAccounts],
  operator: [...changeAccounts, ...moveUsageKeys],
  account: [...changeAccounts, ...makeUsageKeys],
  // And the keys of the environment's CAs, which no other function may use.
  certificates: [
    ...on("AccountsTable", readWrite),
    ...on("IssuingTable", ["dynamodb:PutItem"]),
    ...on("DataKey via dynamodb", useKeyToWrite),
  ],
  deadlines: [...changeIssuing, ...readAccounts, ...send("CallbackDetourQueue", "AlertDeliveryQueue")],
  "alert-delivery": [
    ...changeIssuing,
    ...readAccounts,
    ...consume("AlertDeliveryQueue"),
    ...send("AlertDeliveryQueue", "AlertDeliveryDeadLettersQueue"),
    ...on("the sender's domain", ["ses:SendEmail"]),
  ],
  "webhook-fanout": [
    ...changeIssuing,
    ...consume("WebhookEventsQueue"),
    ...send("CallbackDeliveryQueue", "CallbackDetourQueue", "WebhookEventsQueue"),
  ],
  "callback-delivery": [...sendCallbacks, ...consume("CallbackDeliveryQueue")],
  "callback-delivery on the detour": [...sendCallbacks, ...consume("CallbackDetourQueue")],
  "processor-events": [...changeIssuing, ...readAccounts, ...consume("ProcessorEventsQueue")],
  "outbox-relay": [
    ...on("IssuingTable stream", [
      "dynamodb:DescribeStream",
      "dynamodb:GetRecords",
      "dynamodb:GetShardIterator",
      "dynamodb:ListStreams",
    ]),
    ...on("DataKey via dynamodb", useKey),
    ...on("EventBus", ["events:PutEvents"]),
    ...on("OutboxRelayGivenUpQueue", ["sqs:GetQueueAttributes", "sqs:GetQueueUrl", "sqs:SendMessage"]),
  ],
  "list-indexer": [
    ...changeIssuing,
    ...on("IssuingTable", ["dynamodb:BatchWriteItem"]),
    ...on("IssuingTable stream", [
      "dynamodb:DescribeStream",
      "dynamodb:GetRecords",
      "dynamodb:GetShardIterator",
      "dynamodb:ListStreams",
    ]),
    ...on("DataKey via dynamodb", useKey),
    ...on("ListIndexerGivenUpQueue", ["sqs:GetQueueAttributes", "sqs:GetQueueUrl", "sqs:SendMessage"]),
  ],
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
