import { assumptions, cardMonth, type Standing } from "./assumptions.ts";
import type { ListenerParts } from "./listener.ts";
import { added, prices, times, type Usage } from "./prices.ts";
import type { Measured } from "./step.ts";

/** The recorded measurement: every step by its name, and what stands there in the month. */
export interface Recorded {
  readonly measuredOn: string;
  readonly steps: Readonly<Record<string, Measured>>;
  readonly standing: Standing;
  /** A month of a network's listener. */
  readonly listener: ListenerParts;
}

const gb = 1e9;

/** One thing that happens, with all that follows from it. */
export interface Action {
  readonly name: string;
  readonly usage: Usage;
  /** Stored a day later, and for good. */
  readonly dayBytes: number;
  readonly keptBytes: number;
  readonly expiringByteMonths: number;
  readonly listChanges: number;
}

/**
 * Works out what each action uses, from what its steps were measured to take. At rest each list
 * change has a run of the indexer; `indexerRuns` says how many it has.
 */
export function actionsOf({ steps, standing }: Recorded, indexerRuns = 1): Action[] {
  const step = (name: string): Measured => {
    const found = steps[name];
    if (!found) throw new Error(`The step ${name} was not measured.`);
    return found;
  };
  const a = assumptions;
  const logged = (bytes: number): Usage => ({
    logGb: bytes / gb,
    logGbMonths: (bytes / gb) * a.logsCompressed * standing.logRetentionMonths,
  });
  const usualMegabytes: number = a.memoryMegabytes;
  const runLogBytes = standing.logsRuns ? a.runLogBytes : 0;
  const firewallLogBytes = standing.logsPassed ? a.firewallLogBytes : 0;
  /** One run of a function: `calls` beside those to the table, and `waitMs` for others. */
  const run = (name: string, { calls = 0, waitMs = 0, megabytes = usualMegabytes } = {}): Usage => {
    const { readUnits, writeUnits, roundTrips, milliseconds, logBytes } = step(name);
    const workMs = milliseconds * (a.processorMegabytes / megabytes);
    const ms = Math.ceil(workMs + (roundTrips + calls) * a.roundTripMs + waitMs);
    return added(
      { lambdaRequests: 1, lambdaGbSeconds: (ms / 1_000) * (megabytes / 1_024), readUnits, writeUnits },
      logged(logBytes + runLogBytes),
    );
  };
  const request = (name: string): Usage =>
    added(
      run("authorizer"),
      run(name),
      logged(a.accessLogBytes + firewallLogBytes),
      { apiRequests: 1, firewallRequests: 1 },
      { sentGb: (step(name).answeredBytes + a.answerHeaderBytes) / gb },
    );
  const message: Usage = { queueRequests: a.requestsOfMessage };
  /** What follows from an item of the outbox: it is looked at. */
  const relayed = run("relay");
  /** The same with a rule on the bus. */
  const published = added(run("relay, publishing", { calls: 1 }), { busEvents: 1 });
  /** With a notification, whose delivery it queues. */
  const fannedOut = run("relay, notifying", { calls: 1 });
  /** A list change's later costs: the indexer's run, the entry's segments, and its deletion. */
  const listed = (name: string) =>
    added(
      times(
        step(name).listChanges,
        added(
          { writeUnits: a.listEntryWriteUnits },
          { lambdaRequests: indexerRuns, lambdaGbSeconds: indexerRuns * a.indexerGbSeconds },
          times(indexerRuns, logged(runLogBytes)),
        ),
      ),
      { writeUnits: step(name).deletedChanges },
    );
  const megabytes = standing.deliveryMegabytes;
  const attempt = added(run("delivery", { waitMs: a.receiverMs, megabytes }), message, {
    sentGb: a.callbackBytes / gb,
  });
  /** What follows from a notification: to the one endpoint of its Program. */
  const notified = added(fannedOut, times(1 + a.failedDeliveries, attempt));
  const event = (name: string, ...more: Usage[]) => added(run(name), listed(name), ...more);
  const action = (name: string, usage: Usage, ...of: string[]): Action => ({
    name,
    usage,
    dayBytes: of.reduce((sum, one) => sum + step(one).dayBytes, 0),
    keptBytes: of.reduce((sum, one) => sum + step(one).keptBytes, 0),
    expiringByteMonths: of.reduce((sum, one) => sum + step(one).expiringByteMonths, 0),
    listChanges: of.reduce((sum, one) => sum + step(one).listChanges, 0),
  });
  const asked = (name: string) => action(name, request(name), name);
  const issuing = ["POST /cardholders", "POST /cardholders/{cardholderId}/submit", "POST /cards"];
  const inQueue = (name: string) => event(name, message, notified);
  return [
    asked("GET /cards/{cardId}/balance"),
    asked("GET /cards/{cardId}"),
    asked("GET /cards/transactions"),
    action(
      "a new Cardholder and Card",
      added(...issuing.flatMap((name) => [request(name), published, listed(name)])),
      ...issuing,
    ),
    action(
      "a Card's load from a Wallet",
      added(request("POST /wallets/transfer"), relayed, listed("POST /wallets/transfer")),
      "POST /wallets/transfer",
    ),
    action("an authorization", event("authorization", notified), "authorization", "delivery"),
    action(
      "an authorization, declined",
      event("authorization, declined", relayed),
      "authorization, declined",
    ),
    action("a clearing", inQueue("clearing"), "clearing", "delivery"),
    action("a reversal or expiry", event("reversal", message, relayed), "reversal"),
    action("a fee", inQueue("fee"), "fee", "delivery"),
  ];
}

/** What an environment uses in a month whether or not anybody does anything. */
export function standingUsage({ steps, standing }: Recorded): Usage {
  const a = assumptions;
  const { queues, roles, logsRuns } = standing;
  const sweeps = a.monthSeconds / 60;
  const { readUnits = 0, milliseconds = 0, roundTrips = 0, logBytes = 0 } = steps.sweep ?? {};
  const workMs = milliseconds * (a.processorMegabytes / a.memoryMegabytes);
  const sweepMs = Math.ceil(workMs + roundTrips * a.roundTripMs);
  return added(
    metersOf(standing),
    times(sweeps, {
      lambdaRequests: 1,
      lambdaGbSeconds: (sweepMs / 1_000) * (a.memoryMegabytes / 1_024),
      readUnits,
      logGb: (logBytes + (logsRuns ? a.runLogBytes : 0)) / gb,
    }),
    { queueRequests: (queues * a.pollersOfQueue * a.monthSeconds) / 20 },
    { keyRequests: roles * a.keyRequestsOfRole },
  );
}

/** Those parts of an environment that have a price. */
export function metersOf(standing: Standing): Usage {
  return Object.fromEntries(Object.entries(standing).filter(([name]) => name in prices));
}

/** What an environment with so many cards uses in a month, with the data of a year. */
export function monthOf(recorded: Recorded, cards: number): Usage {
  const a = assumptions;
  const countOf = ({ name }: Action) => (cardMonth[name] ?? 0) * cards;
  const sumOf = (figureOf: (action: Action) => number) =>
    actionsOf(recorded).reduce((sum, action) => sum + countOf(action) * figureOf(action), 0);
  const storedGb = sumOf((one) => one.keptBytes * a.keptMonths + one.expiringByteMonths) / gb;
  // A run takes a shard's first change, and those that come while it waits.
  const shards = Math.max(a.leastShards, Math.ceil(storedGb / a.shardGb));
  const changesOfShard = sumOf(({ listChanges }) => listChanges) / a.monthSeconds / shards;
  const indexerRuns = 1 / (1 + changesOfShard * recorded.standing.indexerWindowSeconds);
  const used = added(
    standingUsage(recorded),
    ...actionsOf(recorded, indexerRuns).map((action) => times(countOf(action), action.usage)),
  );
  const runs = recorded.standing.tracesRuns ? (used.lambdaRequests ?? 0) : 0;
  return added(used, {
    tableGbMonths: storedGb,
    backupGbMonths: storedGb,
    traces: Math.min(runs, a.monthSeconds) + Math.max(0, runs - a.monthSeconds) * a.sampled,
  });
}
