interface Transition<Status extends number | string, Trigger extends string> {
  readonly from: Status;
  readonly trigger: Trigger;
  readonly to: Status;
}

/** All legal steps of a status. */
export type TransitionTable<Status extends number | string, Trigger extends string> = readonly Transition<
  Status,
  Trigger
>[];

/** A step that several statuses permit: a part of a table. */
export function fromEach<
  const From extends number | string,
  const Trigger extends string,
  const To extends number | string,
>(statuses: readonly From[], trigger: Trigger, to: To) {
  return statuses.map((from) => ({ from, trigger, to }));
}

/** The statuses that permit a trigger, and the one that it leads to. */
export interface Step<Status extends number | string> {
  readonly from: readonly Status[];
  readonly to: Status;
}

/** @throws Error for an unknown trigger, or one that leads to more than one status */
export function findStep<Status extends number | string, Trigger extends string>(
  table: TransitionTable<Status, Trigger>,
  trigger: Trigger,
): Step<Status> {
  const steps = table.filter((step) => step.trigger === trigger);
  const [first] = steps;
  if (first === undefined || steps.some((step) => step.to !== first.to)) {
    throw new Error(`The trigger ${trigger} does not lead to one status.`);
  }
  return { from: steps.map((step) => step.from), to: first.to };
}

/** The status after a step. Undefined if the one before does not permit it. */
export function leadsTo<Status extends number | string, Trigger extends string>(
  table: TransitionTable<Status, Trigger>,
  from: Status,
  trigger: Trigger,
): Status | undefined {
  return table.find((one) => one.from === from && one.trigger === trigger)?.to;
}
