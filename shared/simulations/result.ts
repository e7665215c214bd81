export interface SimulatedDecline {
  readonly transId: string;
  readonly amount: number;
  readonly dateCreated: string;
}

export interface SimulationResult {
  readonly events: number;
  readonly declined: { readonly count: number; readonly amount: number };
  /** The newest, oldest first. */
  readonly items: readonly SimulatedDecline[];
}

const maximumItems = 100;

export const noEvents: SimulationResult = { events: 0, declined: { count: 0, amount: 0 }, items: [] };

/** Counts an event, with its decline if the simulated control declines it. */
export function addEvent(
  { events, declined, items }: SimulationResult,
  decline: SimulatedDecline | undefined,
): SimulationResult {
  if (!decline) return { events: events + 1, declined, items };
  const { count, amount } = declined;
  return {
    events: events + 1,
    declined: { count: count + 1, amount: amount + decline.amount },
    items: [...items.slice(1 - maximumItems), decline],
  };
}
