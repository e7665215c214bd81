import { numericCurrency } from "../../contract/enums.ts";
import { countAgain, countNow, takeBackUse, usageWrites, usedControls } from "../../controls/count.ts";
import { findDecliningControl, findExceeded } from "../../controls/decide.ts";
import type { ActiveControl } from "../../controls/rulebooks.ts";
import { findLeft, splitLimit } from "../../controls/spend-limit.ts";
import { type ControlsInForce, getSince } from "../../controls/usage.ts";
import { type AskedCardEvent, type CardEvent, findFacts } from "../../network-events/card-event.ts";
import { toMerchant } from "../../network-events/plan.ts";
import type {
  ControlDecline,
  ControlledEvent,
  CountedWrites,
  CountOptions,
  SpendControls,
} from "../../network-events/spend-controls.ts";
import type { Counted, Refusal } from "../../transactions/transaction.ts";
import { isRecurring, type Presentation } from "../../verification/presentation.ts";
import { countedInserts } from "../holds/counted-list.ts";
import { addParts, countedMinor, partsThatCount, takesNoPart } from "../holds/counted-parts.ts";
import type { Hold } from "../holds/hold.ts";
import { holdWrites } from "../holds/hold-rules.ts";

/** Spend controls by what they have counted. */
export class CountingControls implements SpendControls {
  readonly inForce: ControlsInForce;

  constructor(inForce: ControlsInForce) {
    this.inForce = inForce;
  }

  get marked(): readonly string[] {
    return usedControls(this.inForce);
  }

  leftMinor(at: Date): number | undefined {
    return findLeft(this.inForce, at);
  }

  findDecline(subject: ControlledEvent<AskedCardEvent>, amountMinor: number): ControlDecline | undefined {
    const { others: controls } = splitLimit(this.inForce);
    const { event, card, hold, at } = subject;
    const { mcc, merchantCountry, merchantId, srcCurrency } = { ...hold?.merchant, ...toMerchant(event) };
    const before = hold ? countedMinor(hold) : 0;
    const isIncrement = event.kind === "authorization_incremental";
    const purchase = {
      amountMinor,
      totalMinor: amountMinor + before,
      isIncrement,
      isUsed: isIncrement || (hold?.authorizedMinor ?? 0) > 0,
      countOf: (control: ActiveControl) => (amountMinor > 0 ? addedCount(control, event, hold) : 0),
      mcc,
      country: merchantCountry,
      merchantId,
      entryMode: "entryMode" in event ? event.entryMode : undefined,
      wallet: findWallet(event as Presentation),
      unread: event.unread,
      ...("verification" in event && { verified: { verification: event.verification } }),
      currency: srcCurrency ?? numericCurrency[card.currency],
      isWithdrawal: event.kind === "atm_withdrawal",
      lacksAuthentication: lacksAuthentication(event),
    };
    const declining = findDecliningControl(controls, purchase, at.getTime());
    if (!declining) return undefined;
    const isCertain =
      !isPartial(controls) || findDecliningControl(withoutVelocity(controls), purchase, at.getTime());
    const isUncertain = controls.isRemembered === true || !isCertain;
    const { controlId, refusal } = declining;
    return { controlId, refusal, isUncertain };
  }

  findExceededLimit({ hold, at }: ControlledEvent, amountMinor: number): Refusal | undefined {
    const { limit } = splitLimit(this.inForce);
    const [control] = limit?.controls ?? [];
    if (!limit || !control || amountMinor <= 0) return undefined;
    const totalMinor = amountMinor + (hold ? countedMinor(hold) : 0);
    return findExceeded(control, limit, { amountMinor, totalMinor, countOf: () => 0 }, at.getTime())?.refusal;
  }

  /**
   * What is approved counts now; other changes, in the periods in which the authorization was
   * counted.
   */
  countHold(
    { event, card, at }: ControlledEvent,
    before: Hold,
    after: Hold,
    transId: string,
    { unused = [], madeAt = at }: CountOptions = {},
  ): CountedWrites {
    const controls = this.inForce;
    const [minorBefore, minorAfter] = [countedMinor(before), countedMinor(after)];
    const changeMinor = minorAfter - minorBefore;
    // The total of an advice may be less.
    const parts = before.counted ?? [];
    const isApproval = findFacts(event).isApproval && changeMinor >= 0 && !takesNoPart(parts);
    const kept = isApproval ? parts : changeParts(parts, changeMinor, transId, madeAt.getTime());
    const scopes = countAgain(
      { scopes: takeBackUse(controls, unused, at.getTime()) },
      partsThatCount(parts, minorBefore),
      partsThatCount(kept, minorAfter),
      at.getTime(),
    );
    const approval = {
      transId,
      amountMinor: changeMinor,
      isUse: event.kind !== "authorization_incremental" && before.authorizedMinor === 0 && !before.withdrawal,
      merchantId: after.merchant.merchantId,
      countOf: (control: ActiveControl) => nextCount(control, event, before),
    };
    const now =
      changeMinor > 0 && !takesNoPart(parts)
        ? countNow({ ...controls, scopes }, approval, at.getTime())
        : { scopes, counted: [] };
    const { parts: counted, own } = addParts(kept, now.counted);
    const writes = [
      ...holdWrites(before, { ...after, ...(counted.length > 0 && { counted }) }, at),
      ...usageWrites(card.programId, controls.scopes, now.scopes, at.getTime()),
      ...countedInserts({ card, transId, authorizationId: before.authorizationId }, controls.scopes, own),
    ];
    return { writes, controls: new CountingControls({ ...controls, scopes: now.scopes }) };
  }

  countPosting(
    { event, card, at }: ControlledEvent,
    transId: string,
    amountMinor: number,
  ): CountedWrites & { readonly counted?: Counted[] } {
    const controls = this.inForce;
    const merchantId = "merchantId" in event ? event.merchantId : undefined;
    const { scopes, counted } = countNow(
      controls,
      { transId, amountMinor, isUse: true, merchantId, countOf: () => 1 },
      at.getTime(),
    );
    return {
      ...(counted.length > 0 && { counted: [...counted] }),
      controls: new CountingControls({ ...controls, scopes }),
      writes: [
        ...usageWrites(card.programId, controls.scopes, scopes, at.getTime()),
        ...countedInserts({ card, transId }, controls.scopes, counted),
      ],
    };
  }
}

/**
 * Whether nothing has authenticated an online or typed purchase. A wallet's token does it by
 * itself, and of a series, the first one did. An increment stays with its authorization.
 */
function lacksAuthentication(event: AskedCardEvent): boolean {
  if (event.kind !== "authorization" || event.tokenId !== undefined || isRecurring(event)) return false;
  const { entryMode, unread = [], verification: { threeDS } = {} } = event;
  const isOnline = entryMode === "ecommerce" || entryMode === "keyed" || unread.includes("entryMode");
  return isOnline && threeDS !== "authenticated" && threeDS !== "attempted";
}

/** What the sender says counts where the token is not named. */
function findWallet({ tokenId, verification }: Presentation): string | undefined {
  return verification?.wallet ?? (tokenId === undefined ? "none" : undefined);
}

/** Whether the Program's usage is a part of all that was counted. */
function isPartial({ scopes }: ControlsInForce): boolean {
  return scopes.some(({ usage }) => usage?.split !== undefined);
}

/** Rules other than velocity come first, and need no usage of the Program. */
function withoutVelocity(controls: ControlsInForce): ControlsInForce {
  const scopes = controls.scopes.map((scope) => ({
    ...scope,
    controls: scope.controls.map(({ velocity: _, ...control }) => control),
  }));
  return { ...controls, scopes };
}

/**
 * What the event adds to the control's count. 0 if the authorization is counted already, or is from
 * before the control. Undefined if nothing counts here: a settlement of either.
 */
function nextCount(
  control: ActiveControl,
  event: CardEvent,
  { counted = [], createdAt, authorizedMinor, withdrawal }: Hold,
): 0 | 1 | undefined {
  const parts = counted.filter(({ controlId }) => controlId === control.controlId);
  const isKnown = authorizedMinor > 0 || withdrawal !== undefined;
  const isFromBefore = isKnown && Date.parse(createdAt) < getSince(control);
  if (!findFacts(event).isApproval) return parts.length > 0 || isFromBefore ? undefined : 1;
  if (parts.some(({ count }) => count > 0)) return 0;
  return event.kind === "authorization_incremental" && isFromBefore ? 0 : 1;
}

/** What an approval adds to the control's count: also one of which nothing was left. */
function addedCount(control: ActiveControl, event: CardEvent, hold: Hold | undefined): 0 | 1 {
  if (!hold) return 1;
  const parts = hold.counted?.filter(({ controlId }) => controlId === control.controlId) ?? [];
  if (parts.some(({ count }) => count > 0)) return countedMinor(hold) > 0 ? 0 : 1;
  return nextCount(control, event, hold) ?? 0;
}

/** Takes from the transaction's own part first, then from the newest others. Adds to the oldest. */
function changeParts(
  parts: readonly Counted[],
  changeMinor: number,
  transId: string,
  madeMs: number,
): Counted[] {
  const left = new Map<string, number>();
  // It may be a part of the one of its period: the last that began before it.
  const own = (part: Counted) => (part.transId === transId ? 2 : Number(part.at <= madeMs));
  const inOrder = changeMinor < 0 ? parts.toReversed().toSorted((a, b) => own(b) - own(a)) : parts;
  const changed = new Map(
    inOrder.map((part) => {
      const toChange = left.get(part.controlId) ?? changeMinor;
      const change = Math.max(toChange, -part.amount);
      left.set(part.controlId, toChange - change);
      return [part, { ...part, amount: part.amount + change }];
    }),
  );
  return parts.map((part) => changed.get(part) ?? part);
}
