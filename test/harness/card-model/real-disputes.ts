import { takeDisputeStep } from "../../../functions/deadlines/due-network-events.ts";
import { handler } from "../../../functions/disputes/handler.ts";
import { freeMinor } from "../../../shared/authorizations/holds/claims.ts";
import type { DisputeView } from "../../../shared/contract/disputes.ts";
import { evidence } from "../../../shared/disputes/evidence.ts";
import { findDisputeTypes } from "../../../shared/disputes/transitions.ts";
import { journalEntries } from "../../../shared/ledger/journal-entry.ts";
import { timestamp } from "../../../shared/platform/clock.ts";
import { newId } from "../../../shared/platform/id.ts";
import { transactions } from "../../../shared/transactions/transaction.ts";
import { apiEvent, type EventOptions } from "../api-event.ts";
import { type Answer, replay } from "../replay.ts";
import type { Outcome, Resolved } from "./answers.ts";

const requests = ["dispute", "disputeChange", "disputeStep", "disputeDue", "evidence"] as const;
/** What the customer does, or a deadline. */
export type DisputeRequest = Extract<Resolved, { do: (typeof requests)[number] }>;
export const isDisputeRequest = (command: Resolved): command is DisputeRequest =>
  requests.some((one) => one === command.do);

const dayMs = 86_400_000;
const daysUntil = (time: string) => Math.round((Date.parse(time) - Date.now()) / dayMs);

interface Ids {
  readonly programId: string;
  readonly cardId: string;
}

/** A real card's disputes, over the API and its deadlines. */
export class RealDisputes {
  readonly #ids: Ids;
  readonly #answers: Map<string, Record<string, unknown>>;

  constructor(ids: Ids, answers: Map<string, Record<string, unknown>>) {
    this.#ids = ids;
    this.#answers = answers;
  }

  async happen(command: DisputeRequest, id: string): Promise<Outcome> {
    const { transId, disputeId: known } = this.#answers.get(command.target ?? "") ?? {};
    const disputeId = (known as string | undefined) ?? newId("dispute");
    const amount = "amount" in command && command.amount !== undefined ? { amount: command.amount } : {};
    const path = { disputeId };
    switch (command.do) {
      case "dispute": {
        const body = {
          referenceCode: transId ?? newId("transaction"),
          reason: "fraud_card_present",
          ...amount,
        };
        return this.#request(id, "POST /disputes", { body });
      }
      case "disputeChange":
        return this.#request(undefined, "PUT /disputes/{disputeId}", {
          path,
          body: { note: "More.", ...amount },
        });
      case "disputeStep":
        return this.#request(id, `POST /disputes/{disputeId}/${command.step.replace("_", "-")}`, { path });
      case "evidence":
        return this.#addEvidence(disputeId);
      case "disputeDue":
        if (known !== undefined) await this.#beDue(command, disputeId);
        return {};
    }
  }

  async #request(
    id: string | undefined,
    route: EventOptions["route"],
    options: Omit<EventOptions, "route" | "caller">,
  ): Promise<Outcome> {
    const headers: Record<string, string> = id === undefined ? {} : { "Idempotency-Key": id };
    const { status, body } = await this.#call(route, { ...options, headers });
    if (status !== 200) return { status, code: body.code };
    if (id !== undefined) this.#answers.set(id, { disputeId: body.data.disputeId });
    return { status, dispute: textOf(body.data) };
  }

  /** Uploaded and accepted at once: what the check of the upload writes. */
  async #addEvidence(disputeId: string): Promise<Outcome> {
    process.env.EVIDENCE_BUCKET ??= "evidence";
    const body = { fileName: "receipt.png", contentType: "image/png" };
    const path = { disputeId };
    const added = await this.#call("POST /disputes/{disputeId}/evidence", { path, body });
    if (added.status === 200)
      await evidence
        .at(this.#ids.programId, disputeId, added.body.data.evidenceId)
        .updateNow({ set: { status: "uploaded", uploadedAt: timestamp() } });
    return { status: added.status };
  }

  #beDue({ step, days }: DisputeRequest & { do: "disputeDue" }, disputeId: string): Promise<unknown> {
    const dueAt = new Date(Date.now() + days * dayMs);
    const { programId: ownerId } = this.#ids;
    return step === "credit"
      ? takeDisputeStep(
          { kind: "credit_dispute", ownerId, deadlineId: `credit:${disputeId}`, disputeId, dueAt },
          disputeId,
          step,
        )
      : takeDisputeStep({ kind: "end_dispute", ownerId, deadlineId: disputeId, dueAt }, disputeId, step);
  }

  /** With what the journal says of each. */
  async shown() {
    const { programId, cardId } = this.#ids;
    const [listed, stored] = await Promise.all([
      this.#call("GET /disputes", { query: { cardId, limit: "200" } }),
      transactions.list(programId, cardId),
    ]);
    const views = listed.body.items as DisputeView[];
    // Cash that was reversed before, or is cleared in the same amount, is posted as 0.
    const settled = stored.filter(
      ({ transType, amountMinor }) => findDisputeTypes(transType) !== undefined && amountMinor > 0,
    );
    return {
      disputes: (await Promise.all(views.map((view) => this.#proven(view)))).toSorted(),
      free: settled.map((one) => `${freeMinor(one)} of ${one.amountMinor}`).toSorted(),
    };
  }

  async #proven(view: DisputeView): Promise<string> {
    const entries = await journalEntries.list(this.#ids.programId, view.disputeId);
    const sumOf = (...kinds: string[]) =>
      entries
        .filter(({ kind }) => kinds.includes(kind))
        .flatMap(({ postings }) => postings)
        .reduce((sum, { account, amountMinor }) => sum + (account === "disputed" ? amountMinor : 0), 0);
    const opened = sumOf("dispute_opened", "dispute_changed");
    const ended = [-sumOf("dispute_won"), -sumOf("dispute_written_off"), -sumOf("dispute_denied")];
    const left = ended.reduce((rest, part) => rest - part, opened);
    const text = textOf(view);
    const journal = [opened, ...ended, left].join(" ");
    return text.includes(` = ${journal},`) ? text : `${text}, but in the journal ${journal}`;
  }

  #call(route: EventOptions["route"], options: Omit<EventOptions, "route" | "caller">): Promise<Answer> {
    return replay(handler, apiEvent({ ...options, route, caller: { programId: this.#ids.programId } }));
  }
}

function textOf({ status, amount, liability, creditedAmount, creditDue, deadline }: DisputeView): string {
  const { original, recovered, writtenOff, denied, remaining } = liability;
  const parts = [original, recovered, writtenOff, denied, remaining].join(" ");
  const isDue = creditDue !== undefined && daysUntil(creditDue) >= 11 && daysUntil(creditDue) < 15;
  const days = deadline === undefined ? undefined : daysUntil(deadline);
  return `${status} ${amount} = ${parts}, credited ${creditedAmount}, ${isDue}, ${days}`;
}
