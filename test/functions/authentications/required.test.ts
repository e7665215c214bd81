import { describe, expect, it } from "vitest";
import { skipLeaseWaits } from "../../harness/lease-waits.ts";
import { givenAuthentications } from "./given-authentications.ts";

skipLeaseWaits();

async function given() {
  const { program, cardId, ...calls } = await givenAuthentications();
  const path = { cardId };
  await program.call("POST /cards/{cardId}/deposits", { path, body: { amount: 100_000, pending: false } });
  await calls.putRules({ rules: [], otherwise: "approve" });
  const body = { name: "Authenticated", state: "active", cardId, authentication: "required" };
  const control = await program.call("POST /controls", { body });
  expect(control).toMatchObject({ status: 200, body: { data: { authentication: "required" } } });
  const authorize = async (more: object) => {
    const purchase = { amount: 100, merchantName: "Web Shop", entryMode: "ecommerce", ...more };
    const answer = await program.call("POST /cards/{cardId}/authorizations", { path, body: purchase });
    return answer.body.data;
  };
  return { program, cardId, ...calls, authorize, controlId: control.body.data.controlId };
}

describe("a control that requires an authentication", () => {
  it.each(["ecommerce", "keyed"])("declines a purchase by %s without one", async (entryMode) => {
    const { program, authorize, request, view, cardId, controlId } = await given();
    const declined = await authorize({ entryMode });
    expect(declined).toMatchObject({ approved: false, declineReason: "CONTROL_DECLINED", controlId });
    const shown = await program.call("GET /authorizations/{authorizationId}", {
      path: { authorizationId: declined.authorizationId },
    });
    expect(shown.body.data.declineMessage).toContain("requires an authentication by 3-D Secure");
    const { authenticationId } = await request(cardId);
    expect(await authorize({ entryMode, authenticationId })).toMatchObject({ approved: true });
    const again = await authorize({ entryMode, authenticationId });
    expect(again).toMatchObject({ approved: false, declineReason: "CONTROL_DECLINED" });
    const small = await request(cardId, { amount: 50 });
    expect((await authorize({ entryMode, authenticationId: small.authenticationId })).approved).toBe(false);
    expect((await view(small.authenticationId)).authorizationId).toBeUndefined();
  });

  it("declines what was only exempted", async () => {
    const { authorize, request, cardId } = await given();
    const { authenticationId } = await request(cardId, { exemptions: ["low_value"] });
    expect((await authorize({ authenticationId })).approved).toBe(false);
  });

  it.each(["chip", "contactless", "magstripe", "recurring"])("allows %s", async (entryMode) => {
    const { authorize } = await given();
    expect((await authorize({ entryMode })).approved).toBe(true);
  });

  it("allows what recurs, and increments", async () => {
    const { program, authorize, request, cardId } = await given();
    expect((await authorize({ storedCredential: "recurring" })).approved).toBe(true);
    const { authenticationId } = await request(cardId);
    const { authorizationId } = await authorize({ authenticationId });
    const more = await program.call("POST /authorizations/{authorizationId}/increment", {
      ...{ path: { authorizationId }, body: { amount: 100 } },
    });
    expect(more.body.data.approved).toBe(true);
  });
});
