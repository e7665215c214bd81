import { assumptions, cardMonth, type Standing } from "./assumptions.ts";
import type { ListenerParts } from "./listener.ts";
import { added, times, type Usage } from "./prices.ts";
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
}

/** Works out what each action uses, from what its steps were measured to take. */
export function actionsOf({ steps, standing }: Recorded): Action[] {
  const step = (name: string): Measured => {
    const found = steps[name];
    if (!found) throw new Error(`The step ${name} was not measured.`);
    return found;
  };
  const a = assumptions;
  const logged = (bytes: number): Usage => ({
    logGb: bytes / gb,
    logGbMonths: (bytes / gb) * standing.logRetentionMonths,
  });
  /** One run of a function: `calls` beside those to the table, and `waitMs` for others. */
  const run = (name: string, { calls = 0, waitMs = 0 } = {}): Usage => {
    const { readUnits, writeUnits, roundTrips, milliseconds, logBytes } = step(name);
    const ms = Math.ceil(milliseconds * a.slowdown + (roundTrips + calls) * a.roundTripMs + waitMs);
    return added(
      { lambdaRequests: 1, lambdaGbSeconds: (ms / 1_000) * a.memoryGb, readUnits, writeUnits },
      logged(logBytes + a.runLogBytes),
    );
  };
  const request = (name: string): Usage =>
    added(
      run("authorizer"),
      run(name),
      logged(a.accessLogBytes + a.firewallLogBytes),
      { apiRequests: 1, firewallRequests: 1 },
      { sentGb: (step(name).answeredBytes + a.answerHeaderBytes) / gb },
    );
  const message: Usage = { queueRequests: a.requestsOfMessage };
  /** What follows from an item of the outbox: it goes to the bus. */
  const relayed = added(run("relay", { calls: 1 }), { busEvents: 1 });
  /** The same with a notification, whose delivery it queues first. */
  const relayedAndFannedOut = added(run("relay, notifying", { calls: 2 }), { busEvents: 1 });
  /** A list change's later costs: the indexer's run, the entry's segments, and its deletion. */
  const listed = (name: string) =>
    added(
      times(
        step(name).listChanges,
        added(
          { writeUnits: a.listEntryWriteUnits },
          { lambdaRequests: 1, lambdaGbSeconds: a.indexerGbSeconds },
          logged(a.runLogBytes),
        ),
      ),
      { writeUnits: step(name).deletedChanges },
    );
  const attempt = added(run("delivery", { waitMs: a.receiverMs }), message, {
    sentGb: a.callbackBytes / gb,
  });
  /** What follows from a notification: to the one endpoint of its Program. */
  const notified = added(relayedAndFannedOut, times(1 + a.failedDeliveries, attempt));
  const event = (name: string, ...more: Usage[]) => added(run(name), listed(name), ...more);
  const action = (name: string, usage: Usage, ...of: string[]): Action => ({
    name,
    usage,
    dayBytes: of.reduce((sum, one) => sum + step(one).dayBytes, 0),
    keptBytes: of.reduce((sum, one) => sum + step(one).keptBytes, 0),
    expiringByteMonths: of.reduce((sum, one) => sum + step(one).expiringByteMonths, 0),
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
      added(...issuing.flatMap((name) => [request(name), relayed, listed(name)])),
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
  const { queues, roles, logRetentionMonths: _, ...parts } = standing;
  const sweeps = a.monthSeconds / 60;
  const { readUnits = 0, milliseconds = 0, roundTrips = 0, logBytes = 0 } = steps.sweep ?? {};
  const sweepMs = Math.ceil(milliseconds * a.slowdown + roundTrips * a.roundTripMs);
  return added(
    parts,
    times(sweeps, {
      lambdaRequests: 1,
      lambdaGbSeconds: (sweepMs / 1_000) * a.memoryGb,
      readUnits,
      logGb: (logBytes + a.runLogBytes) / gb,
    }),
    { queueRequests: (queues * a.pollersOfQueue * a.monthSeconds) / 20 },
    { keyRequests: roles * a.keyRequestsOfRole },
  );
}

/** What an environment with so many cards uses in a month, with the data of a year. */
export function monthOf(recorded: Recorded, cards: number): Usage {
  const a = assumptions;
  const actions = actionsOf(recorded).map((action) => ({
    ...action,
    count: (cardMonth[action.name] ?? 0) * cards,
  }));
  const used = added(standingUsage(recorded), ...actions.map(({ count, usage }) => times(count, usage)));
  const storedGb = actions.reduce(
    (sum, { count, keptBytes, expiringByteMonths }) =>
      sum + (count * (keptBytes * a.keptMonths + expiringByteMonths)) / gb,
    0,
  );
  const runs = used.lambdaRequests ?? 0;
  return added(used, {
    tableGbMonths: storedGb,
    backupGbMonths: storedGb,
    traces: Math.min(runs, a.monthSeconds) + Math.max(0, runs - a.monthSeconds) * a.sampled,
  });
}
