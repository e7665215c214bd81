import type { z } from "zod";
import { getCardholder } from "../../shared/cardholders/cardholder.ts";
import { getCard } from "../../shared/cards/card.ts";
import { type ControlCreate, type ControlRules, durationMinutes } from "../../shared/contract/controls.ts";
import { changeControl } from "../../shared/controls/commit-control.ts";
import {
  type Control,
  controls,
  newControl,
  showControl,
  toControlView,
  toLabelled,
} from "../../shared/controls/control.ts";
import { timestamp } from "../../shared/platform/clock.ts";
import { statusError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { planLabels, removeLabels, withoutLabels } from "../../shared/platform/labels.ts";
import type { WriteAction } from "../../shared/platform/table/transact.ts";
import { toActor } from "../../shared/tenancy/audit-log.ts";

/** @throws ApiError NOT_FOUND for the Card or Cardholder; LIMIT_REACHED */
export const createControl: Operations["POST /controls"] = async (request) => {
  const { scope, body } = request;
  const { cardId: _, cardholderId: __, ...created } = body;
  const { metadata } = body;
  const control = newControl(created, await findOwner(scope.programId, body), timestamp());
  const change = { action: "control.create", decide: async () => ({ after: control, metadata }) } as const;
  const made = await changeControl({ scope, actor: toActor(request), ...change });
  return { ...toControlView(made), metadata };
};

/** A Card's control also has its Cardholder, whose controls count with the Card's. */
async function findOwner(programId: string, { cardId, cardholderId }: z.output<typeof ControlCreate>) {
  if (cardId !== undefined) {
    const card = await getCard(programId, cardId, "body.cardId");
    return { cardId, cardholderId: card.cardholderId };
  }
  if (cardholderId === undefined) return {};
  await getCardholder(programId, cardholderId, "body.cardholderId");
  return { cardholderId };
}

/** What is omitted is removed. What was counted stays, unless the window changes. */
export const replaceControl: Operations["PUT /controls/{controlId}"] = async (request) => {
  const { name, externalId, metadata, ...rules } = request.body;
  const { programId } = request.scope;
  const replaced = await changeStored(request, "control.update", async (before) => {
    const of = toLabelled(programId, before.entityId);
    const plan = await planLabels(of, before, { externalId, metadata });
    const after = {
      ...before,
      ...plan.set,
      name,
      rules,
      ...(before.activatedAt && hasOtherWindow(before.rules, rules) && { countsFrom: timestamp() }),
    };
    return { after: withoutLabels(after, plan), labels: plan.writes };
  });
  return showControl(programId, replaced);
};

/** `PT60M` and `PT1H` are the same. */
const windowLength = ({ velocity }: ControlRules) =>
  velocity && (durationMinutes(velocity.window) ?? velocity.window);

const hasOtherWindow = (before: ControlRules, after: ControlRules) =>
  windowLength(before) !== windowLength(after);

/** @throws ApiError ILLEGAL_TRANSITION for one that is active */
export const activateControl: Operations["POST /controls/{controlId}/activate"] = async (request) => {
  const activated = await changeStored(request, "control.activate", async (before) => {
    if (before.state === "active") throw statusError("active", ["draft"]);
    return { after: { ...before, state: "active" as const, activatedAt: timestamp() } };
  });
  return showControl(request.scope.programId, activated);
};

export const deleteControl: Operations["DELETE /controls/{controlId}"] = async (request) => {
  await changeStored(request, "control.delete", async (before) => ({
    after: undefined,
    labels: await removeLabels(toLabelled(request.scope.programId, before.entityId), before),
  }));
  return { controlId: request.path.controlId };
};

async function changeStored<After extends Control | undefined>(
  request: Pick<Parameters<Operations["DELETE /controls/{controlId}"]>[0], "scope" | "path" | "requestId">,
  action: "control.update" | "control.activate" | "control.delete",
  change: (before: Control) => Promise<{ after: After; labels?: readonly WriteAction[] }>,
): Promise<After> {
  const { scope, path } = request;
  const control = controls.at(scope.programId, path.controlId);
  return changeControl({
    scope,
    actor: toActor(request),
    action,
    decide: async () => {
      const before = await control.require();
      return { before, ...(await change(before)) };
    },
  });
}
