import * as z from "zod";

export const SimulationResult = z.object({
  events: z.int(),
  declined: z.object({ count: z.int(), amount: z.int() }),
  /** The newest, oldest first. */
  items: z.array(z.object({ transId: z.string(), amount: z.int(), dateCreated: z.string() })).readonly(),
});
export type SimulationResult = Readonly<z.output<typeof SimulationResult>>;
export type SimulatedDecline = Readonly<SimulationResult["items"][number]>;

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
