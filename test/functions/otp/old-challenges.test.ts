import { afterEach, expect, test, vi } from "vitest";
import { givenCard, givenProgram } from "../../harness/given-cards.ts";
import { deleteExpired, storedItems } from "../../harness/stored.ts";

const day = 86_400_000;

afterEach(() => void vi.useRealTimers());
const pass = (ms: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });

test("a challenge is deleted 90 days after its code; then its subscription is pending again", async () => {
  const program = await givenProgram({ settings: { threeDSecure: true } });
  const { cardId } = await givenCard(program);
  const subscription = await program.call("POST /otp/listeners", { body: { cardId } });
  const { token } = subscription.body.data;
  const retrieve = async () => (await program.call("GET /otp/{token}", { path: { token } })).body.data;
  const challenge = async () => {
    const path = { cardId };
    return (await program.call("POST /cards/{cardId}/three-ds-challenges", { path, body: {} })).body.data;
  };
  const { challengeId, expiresAt } = await challenge();
  const { code } = await retrieve();
  pass(89 * day);
  await deleteExpired();
  expect(await retrieve()).toEqual({ status: "expired", expiresAt });
  pass(2 * day);
  await deleteExpired();
  const items = await storedItems(program.programId);
  expect(items.filter(({ sk }) => sk === "CHALLENGE")).toEqual([]);
  expect(await retrieve()).toEqual({ status: "pending", expiresAt: null });
  const path = { challengeId };
  const late = await program.call("POST /three-ds-challenges/{challengeId}/complete", {
    path,
    body: { code },
  });
  expect(late.status).toBe(404);
  await challenge();
  expect(await retrieve()).toMatchObject({ status: "received" });
});
