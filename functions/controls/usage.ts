import { chooseCountedList } from "../../shared/authorizations/holds/counted-list.ts";
import { countedParts } from "../../shared/authorizations/holds/counted-parts.ts";
import { type Control, controls, toActiveControl } from "../../shared/controls/control.ts";
import { readProgramUsage } from "../../shared/controls/more-usage.ts";
import { getSince, usages, usedAt, windowAt } from "../../shared/controls/usage.ts";
import type { ControlOwner } from "../../shared/controls/usage-name.ts";
import { listTotal } from "../../shared/lists/indexed-page.ts";
import type { StoredRecord } from "../../shared/lists/kind.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { getProgram } from "../../shared/tenancy/programs/program.ts";

export const viewUsage: Operations["GET /controls/{controlId}/usage"] = async ({ scope, path }) => {
  const { programId } = scope;
  const { control, used, period, since } = await readUsage(programId, path.controlId);
  const { velocity } = control.rules;
  const list = period && countedIn(programId, control, Math.max(period.from, since));
  return {
    controlId: control.entityId,
    ...(period && {
      window: {
        start: timestamp(new Date(period.from)),
        ...(period.until !== undefined && { end: timestamp(new Date(period.until)) }),
      },
    }),
    used,
    limit: { amount: velocity?.amount, count: velocity?.count },
    transactions: list ? await listTotal(list.list, list.after) : 0,
  };
};

/** Empty for a control that counts nothing. */
export const listCounted: Operations["GET /controls/{controlId}/transactions"] = async ({
  scope: { programId },
  path: { controlId },
  query,
}) => {
  const { control, period, since } = await readUsage(programId, controlId);
  if (!period) return { items: [], total: 0 };
  const { list, after } = countedIn(programId, control, Math.max(period.from, since));
  return listPage(
    {
      records: { list },
      orders: { transId: "entityId" },
      view: (record: CountedRecord) => toCountedView(record, controlId, since),
    },
    { ...query, after: Math.max(query.after ?? 0, after) },
  );
};

/** @throws ApiError NOT_FOUND */
async function readUsage(programId: string, controlId: string) {
  const control = await controls.at(programId, controlId).require();
  const active = toActiveControl(control);
  if (!active) return { control, used: { amount: 0, count: 0 }, period: undefined, since: 0 };
  const [owner, ownerId] = toOwner(programId, control);
  const [usage, { settings }] = await Promise.all([
    owner === "program" ? readProgramUsage(programId) : usages[owner].at(programId, ownerId).get(),
    getProgram(programId),
  ]);
  const atMs = now().getTime();
  const period = windowAt(usage, active, settings.timeZone, atMs);
  return { control, used: usedAt(usage, active, atMs), period, since: getSince(active) };
}

function toOwner(programId: string, { cardId, cardholderId }: Control): [ControlOwner, string] {
  if (cardId !== undefined) return ["card", cardId];
  return cardholderId === undefined ? ["program", programId] : ["cardholder", cardholderId];
}

/** `after` in Unix seconds, as in a query: what was counted at `from` is after it. */
function countedIn(programId: string, control: Control, from: number) {
  return {
    list: { programId, kind: chooseCountedList(control), owner: control.entityId },
    after: (from - 1) / 1000,
  };
}

/** A hold, or a transaction without one, with what the list knows of the transaction. */
type CountedRecord = StoredRecord & { readonly transId: string; readonly cardId: string };

/** What rules from before the present window counted in it is listed with 0. */
function toCountedView(record: CountedRecord, controlId: string, since: number) {
  const { transId, cardId } = record;
  const part = countedParts(record).find((one) => one.transId === transId && one.controlId === controlId);
  if (!part) throw new Error(`The transaction ${transId} does not say what ${controlId} counted.`);
  const { amount, count } = part.since === since ? part : { amount: 0, count: 0 };
  return { transId, cardId, amount, count, dateCreated: timestamp(new Date(part.at)) };
}
