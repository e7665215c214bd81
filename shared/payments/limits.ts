import type { PayoutSettings, PullSettings } from "../contract/payouts.ts";
import type { Program } from "../tenancy/programs/program.ts";

type Limited = Pick<Program, "settings" | "fundingLimits">;

/** What holds for a Program's payouts: its own settings, within the operator's limits. */
export function payoutLimits({ settings, fundingLimits }: Limited): PayoutSettings {
  const own = settings.payouts ?? {};
  const bounds = fundingLimits?.payouts ?? {};
  return {
    ...own,
    approvalAbove: lesser(own.approvalAbove, bounds.approvalAbove),
    singleMax: lesser(own.singleMax, bounds.singleMax),
    dailyMax: lesser(own.dailyMax, bounds.dailyMax),
  };
}

export interface PullLimits extends PullSettings {
  readonly holdDays: number;
}

const defaultHoldDays = 5;

/** The same of its pulls. The operator's hold days are the least. */
export function pullLimits({ settings, fundingLimits }: Limited): PullLimits {
  const own = settings.pulls ?? {};
  const bounds = fundingLimits?.pulls ?? {};
  return {
    singleMax: lesser(own.singleMax, bounds.singleMax),
    dailyMax: lesser(own.dailyMax, bounds.dailyMax),
    holdDays: Math.max(own.holdDays ?? defaultHoldDays, bounds.holdDays ?? 0),
  };
}

function lesser(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}
