import type { Meter } from "./prices.ts";

/** Unmeasured inputs of the model, each with its reason. */
export const assumptions = {
  /** Seconds of an average month. */
  monthSeconds: 2_628_000,
  /** Of most functions: the templates have the others'. */
  memoryMegabytes: 1_024,
  /** One whole processor in Lambda: with less memory, work takes longer. */
  processorMegabytes: 1_769,
  /** Milliseconds of a call to DynamoDB, SQS or EventBridge, besides the measured work. */
  roundTripMs: 6,
  /** What a receiver of callbacks takes to answer, its connection included. */
  receiverMs: 250,
  /** Lambda's own lines of a run, where the template asks for them: START, END, REPORT. */
  runLogBytes: 400,
  /** The gateway's line of a request, in its access log. */
  accessLogBytes: 700,
  /** The firewall's, where the template does not drop it. */
  firewallLogBytes: 1_500,
  /** Stored log bytes are billed compressed: of what came in, as AWS's calculator estimates. */
  logsCompressed: 0.15,
  /** Headers of an answer, with its share of the connection. */
  answerHeaderBytes: 800,
  /** A callback with its TLS handshake: each has a connection of its own. */
  callbackBytes: 6_000,
  /** Write units of a list's entry in all its segments, by `npm run bench -- lists`. */
  listEntryWriteUnits: 1.8,
  /** What a run of the list indexer takes, of 3 GB: few take anything in. */
  indexerGbSeconds: 0.03,
  /** Shards of a stream: one for each partition, of which an on-demand table has four or more. */
  leastShards: 4,
  /** What a partition takes. */
  shardGb: 10,
  /** Sent, received, deleted. Batches are small below about ten messages a second. */
  requestsOfMessage: 3,
  /** Lambda's pollers of a queue, each of which asks every 20 seconds although nothing comes. */
  pollersOfQueue: 5,
  /** Deliveries that fail once and succeed at the next attempt. */
  failedDeliveries: 0.02,
  /** DynamoDB asks KMS for a table's key every five minutes for each role that uses it. */
  keyRequestsOfRole: 12 * 730 * 2,
  /** Where the template traces runs: the first one of a second, and so many of the others. */
  sampled: 0.05,
  /** Months that data has been kept. */
  keptMonths: 12,
  /** Tables of the class Standard-IA: of Standard's price of a GB, and of a unit. */
  infrequentStorage: 0.4,
  infrequentUnit: 1.25,
} as const;

/** What one card comes to in a month, in the names of the actions. */
export const cardMonth: Readonly<Record<string, number>> = {
  "a new Cardholder and Card": 1 / 36,
  "a Card's load from a Wallet": 1,
  "GET /cards/{cardId}/balance": 30,
  "GET /cards/{cardId}": 5,
  "GET /cards/transactions": 10,
  "an authorization": 25,
  "an authorization, declined": 2,
  "a clearing": 24,
  "a reversal or expiry": 1,
  "a fee": 1,
};

/** What an environment has, whatever its traffic: how many of each, as its templates say. */
export type Standing = Readonly<Partial<Record<Meter, number>>> & {
  readonly queues: number;
  readonly roles: number;
  readonly logRetentionMonths: number;
  /** Whether Lambda logs runs that succeed, and the firewall requests that pass. */
  readonly logsRuns: boolean;
  readonly logsPassed: boolean;
  readonly tracesRuns: boolean;
  readonly deliveryMegabytes: number;
  /** How long the list indexer's stream collects changes. */
  readonly indexerWindowSeconds: number;
};
