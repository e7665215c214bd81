import type { z } from "zod";
import { getCardholder } from "../../shared/cardholders/cardholder.ts";
import { getCard } from "../../shared/cards/card.ts";
import { type ControlCreate, type ControlRules, durationMinutes } from "../../shared/contract/controls.ts";
import { changeControl } from "../../shared/controls/commit-control.ts";
import { type Control, controls, newControl, toControlView } from "../../shared/controls/control.ts";
import { timestamp } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { toActor } from "../../shared/tenancy/audit-log.ts";

/** @throws ApiError NOT_FOUND for the Card or Cardholder; LIMIT_REACHED */
export const createControl: Operations["POST /controls"] = async (request) => {
  const { scope, body } = request;
  const { cardId: _, cardholderId: __, ...created } = body;
  const control = newControl(created, await findOwner(scope.programId, body), timestamp());
  const change = { action: "control.create", decide: async () => ({ after: control }) } as const;
  return toControlView(await changeControl({ scope, actor: toActor(request), ...change }));
};

/** A Card's control also has its Cardholder, whose controls count with the Card's. */
async function findOwner(programId: string, { cardId, cardholderId }: z.output<typeof ControlCreate>) {
  if (cardId !== undefined) {
    const card = await getCard(programId, cardId);
    return { cardId, cardholderId: card.cardholderId };
  }
  if (cardholderId === undefined) return {};
  await getCardholder(programId, cardholderId);
  return { cardholderId };
}

/** What is omitted is removed. What was counted stays, unless the window changes. */
export const replaceControl: Operations["PUT /controls/{controlId}"] = async (request) => {
  const { name, ...rules } = request.body;
  return toControlView(
    await changeStored(request, "control.update", (before) => ({
      ...before,
      name,
      rules,
      ...(before.activatedAt && hasOtherWindow(before.rules, rules) && { countsFrom: timestamp() }),
    })),
  );
};

/** `PT60M` and `PT1H` are the same. */
const windowLength = ({ velocity }: ControlRules) =>
  velocity && (durationMinutes(velocity.window) ?? velocity.window);

const hasOtherWindow = (before: ControlRules, after: ControlRules) =>
  windowLength(before) !== windowLength(after);

/** @throws ApiError ILLEGAL_TRANSITION for one that is active */
export const activateControl: Operations["POST /controls/{controlId}/activate"] = async (request) => {
  const activated = await changeStored(request, "control.activate", (before) => {
    if (before.state === "active") throw new ApiError("ILLEGAL_TRANSITION");
    return { ...before, state: "active", activatedAt: timestamp() };
  });
  return toControlView(activated);
};

export const deleteControl: Operations["DELETE /controls/{controlId}"] = async (request) => {
  await changeStored(request, "control.delete", () => undefined);
  return { controlId: request.path.controlId };
};

type StoredRequest = Parameters<Operations["DELETE /controls/{controlId}"]>[0];

async function changeStored<After extends Control | undefined>(
  request: Pick<StoredRequest, "scope" | "path" | "requestId">,
  action: "control.update" | "control.activate" | "control.delete",
  change: (before: Control) => After,
): Promise<After> {
  const { scope, path } = request;
  const control = controls.at(scope.programId, path.controlId);
  return changeControl({
    scope,
    actor: toActor(request),
    action,
    decide: async () => {
      const before = await control.require();
      return { before, after: change(before) };
    },
  });
}
