interface Transition<Status extends number | string, Trigger extends string> {
  readonly from: Status;
  readonly trigger: Trigger;
  readonly to: Status;
}

/** All legal steps of one status; anything else is rejected. */
export type TransitionTable<Status extends number | string, Trigger extends string> = readonly Transition<
  Status,
  Trigger
>[];

/** What a trigger does: what the status must be for it, and what it becomes. */
export interface Step<Status extends number | string> {
  readonly from: readonly Status[];
  readonly to: Status;
}

/** @throws Error for a trigger that the table does not have or that leads to more than one status */
export function stepOf<Status extends number | string, Trigger extends string>(
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

/** A step as a write: what the status must be for it, and what it becomes. */
export interface CompiledTransition<Status extends number | string> extends Step<Status> {
  /** Holds if the status permits the trigger, so that only one of two racing steps is written. */
  readonly condition: string;
  readonly names: Readonly<Record<string, string>>;
  /** The condition's values only, for a put: an expression may not have unused values. */
  readonly conditionValues: Readonly<Record<string, Status>>;
  readonly values: Readonly<Record<string, Status>>;
}

/**
 * Placeholders derive from the attribute's name (`#status`, `:status`, `:statusFrom0`…), so that transitions
 * of two statuses fit into one expression; `:<attribute>` is the new status.
 * @throws Error for a trigger that is not in the table or leads to more than one status
 */
export function compileTransition<Status extends number | string, Trigger extends string>(
  table: TransitionTable<Status, Trigger>,
  trigger: Trigger,
  attribute: string,
): CompiledTransition<Status> {
  const { from, to } = stepOf(table, trigger);
  const froms: Record<string, Status> = Object.fromEntries(
    from.map((status, index) => [`:${attribute}From${index}`, status]),
  );
  return {
    from,
    to,
    condition: `#${attribute} IN (${Object.keys(froms).join(", ")})`,
    names: { [`#${attribute}`]: attribute },
    conditionValues: froms,
    values: { ...froms, [`:${attribute}`]: to },
  };
}
