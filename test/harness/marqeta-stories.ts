import { jitRequest, marqetaTransaction, marqetaWebhook } from "./marqeta-messages.ts";
import type { Random } from "./random.ts";

/** A transaction, of which a webhook tells, and before it perhaps a JIT Funding request. */
export interface Told {
  readonly token: string;
  /** The request's body. */
  readonly asked?: string;
  readonly webhook: string;
}

/** What Marqeta does with one purchase, and what is held and on the ledger in the end. */
export interface Story {
  readonly told: readonly Told[];
  readonly held: number;
  readonly ledger: number;
}

const endings = [
  ...(["cleared", "cleared", "clearedInTwo", "clearedInPart", "reversed", "expired", "open"] as const),
  ...(["declined", "lowered", "refund", "forcePost", "pinDebit", "pinDebitReversed"] as const),
];

/** `run` begins all tokens. `now` is Marqeta's clock, which never repeats a time. */
export function drawStory(random: Random, cardId: string, run: string, now: () => string): Story {
  const ending = random.pick(endings);
  const told: Told[] = [];
  const first = `${run}-0`;
  const isAsked = random.chance(0.6);
  /** How later transactions name the authorization. */
  const names = random.pick(["last", "last", "first", "original"] as const);
  let last = first;
  let held = 0;
  const amount = 100 * (5 + random.below(10));

  function tell(
    type: string,
    minor: number,
    state: string,
    given: {
      readonly asked?: string | false;
      readonly askedMinor?: number;
      readonly more?: object;
      readonly isNamed?: boolean;
    } = {},
  ): void {
    const token = told.length === 0 ? first : `${run}-${told.length}`;
    const { asked = false, askedMinor = minor, more, isNamed = token !== first } = given;
    const times = { created_time: now(), ...(random.chance(0.5) && { user_transaction_time: now() }) };
    const tie = isNamed && names === "original" ? { original_transaction_token: first } : {};
    const preceding = isNamed && names !== "original" ? (names === "first" ? first : last) : undefined;
    const named = preceding === undefined ? {} : { preceding };
    const timedOut = { gpa_order: { funding: { gateway_log: { timed_out: true } } } };
    const own = { ...times, ...tie, ...more, ...(state === "DECLINED" && asked && timedOut) };
    told.push({
      token,
      webhook: marqetaWebhook(marqetaTransaction(cardId, token, minor, { type, state, ...named, more: own })),
      ...(asked && {
        asked: jitRequest(cardId, token, askedMinor, {
          ...{ method: asked, type, more: { ...times, ...tie } },
          ...named,
        }),
      }),
    });
    if (state !== "DECLINED") last = token;
  }

  switch (ending) {
    case "refund":
      tell("refund", amount, "COMPLETION");
      return { told, held, ledger: amount };
    case "forcePost":
      tell("authorization.clearing", amount, "COMPLETION");
      return { told, held, ledger: -amount };
    case "pinDebit":
    case "pinDebitReversed":
      tell("pindebit", amount, "COMPLETION", { asked: isAsked && "pgfs.auth_plus_capture" });
      if (ending === "pinDebit") return { told, held, ledger: -amount };
      tell("pindebit.reversal", amount, "COMPLETION");
      return { told, held, ledger: 0 };
    case "declined":
      tell("authorization", amount, "DECLINED", { asked: isAsked && "pgfs.authorization" });
      return { told, held, ledger: 0 };
    default:
  }
  held = ending === "lowered" && isAsked ? amount - 100 : amount;
  tell("authorization", held, "PENDING", {
    ...{ asked: isAsked && "pgfs.authorization", askedMinor: amount },
  });
  for (let left = random.below(3); left > 0; left -= 1) {
    const more = 100 * (1 + random.below(3));
    const asked = isAsked && random.chance(0.7) && "pgfs.authorization.incremental";
    // Without a question, an increment that was declined has changed nothing.
    const isDeclined = asked !== false && random.chance(0.15);
    tell("authorization.incremental", more, isDeclined ? "DECLINED" : "PENDING", { asked });
    if (!isDeclined) held += more;
  }
  if (random.chance(0.3)) {
    tell("authorization.reversal", 100, "PENDING");
    held -= 100;
  }
  if (random.chance(0.15)) {
    held += random.pick([-100, 100]);
    tell("authorization.advice", held, "PENDING");
  }
  const clear = (minor: number, more: object = {}) => {
    tell("authorization.clearing", minor, "COMPLETION", { more });
    return -minor;
  };
  switch (ending) {
    case "cleared":
    case "lowered": {
      const final = random.chance(0.5) ? { is_final_clearing: true } : {};
      return { told, held: 0, ledger: clear(held + random.pick([0, 0, -50, 50]), final) };
    }
    case "clearedInTwo": {
      const begun = clear(200, { is_final_clearing: false });
      const rest = Math.max(100, held - 200 - random.pick([0, 50]));
      return { told, held: 0, ledger: begun + clear(rest, { is_final_clearing: true }) };
    }
    case "clearedInPart": {
      const part = { multi_clearing_sequence_number: 1, multi_clearing_sequence_count: 2 };
      return { told, ledger: clear(200, part), held: held - 200 };
    }
    case "reversed":
      tell("authorization.reversal", held, "REVERSED");
      return { told, held: 0, ledger: 0 };
    case "expired":
      tell("authorization.reversal.issuerexpiration", held, "REVERSED");
      return { told, held: 0, ledger: 0 };
    default:
      return { told, held, ledger: 0 };
  }
}

/** A question comes before its own webhook, after earlier ones. Some webhooks come again. */
export function inAnyOrder(random: Random, told: readonly Told[]): string[] {
  const webhooks = random.shuffle(told.flatMap((one) => (random.chance(0.2) ? [one, one] : [one])));
  const steps: { readonly token: string; readonly body: string }[] = webhooks.map(({ token, webhook }) => ({
    ...{ token, body: webhook },
  }));
  let from = 0;
  for (const { token, asked } of told) {
    if (asked === undefined) continue;
    const own = steps.findIndex((one) => one.token === token);
    const place = Math.min(own, from + random.below(Math.max(1, own - from + 1)));
    steps.splice(place, 0, { token: "", body: asked });
    from = place + 1;
  }
  return steps.map(({ body }) => body);
}
