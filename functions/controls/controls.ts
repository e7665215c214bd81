import {
  controlList,
  controls,
  readControlKeys,
  showControl,
  toControlView,
} from "../../shared/controls/control.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

/** `cardholderId` leaves out the controls of the Cardholder's Cards. */
export const listControls: Operations["GET /controls"] = async ({ scope: { programId }, query }) => {
  const { cardId, cardholderId, state } = query;
  // A control is for one of them.
  if (cardId !== undefined && cardholderId !== undefined) return { items: [], total: 0 };
  const ownerId = cardId ?? cardholderId;
  return listPage(
    {
      records:
        ownerId === undefined
          ? { list: { programId, kind: controlList } }
          : { keys: await readControlKeys(programId, ownerId) },
      orders: { dateCreated: "createdAt", controlId: "entityId", name: "name" },
      sortKeys: controlList.sortKeys,
      filters: { cardId, cardholderId, state },
      view: (control) => toControlView(controls.parse(control)),
    },
    query,
  );
};

export const viewControl: Operations["GET /controls/{controlId}"] = async ({ scope, path }) =>
  showControl(scope.programId, await controls.at(scope.programId, path.controlId).require());
