import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { LiveProgram } from "../harness/given-live-program.ts";
import { type GivenPlatform, givenPlatform } from "./given-platform.ts";

const patience = { timeout: 60_000, interval: 500 };
const hourMs = 3_600_000;
let given: GivenPlatform;
let program: LiveProgram;
let externalAccountId: string;

beforeAll(async () => {
  given = await givenPlatform();
  ({ program } = given);
  const { walletId } = given.connection;
  await post("POST /wallets/{walletId}/bank-deposit", { walletId }, { amount: 10_000 });
  const account = { holderName: "Ada Lovelace", holderType: "person", iban: "DE89370400440532013000" };
  ({ externalAccountId = "" } = await post("POST /external-accounts", {}, account));
  const path = { externalAccountId };
  await post("POST /external-accounts/{externalAccountId}/verification", path, { method: "bank_check" });
  await post("POST /external-accounts/{externalAccountId}/check", path, { outcome: "match" });
});
afterAll(() => given?.stop());

async function post(route: `POST /${string}`, path: Record<string, string>, body: object) {
  const answer = await program.call(route, { path, body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.data as Record<string, string>;
}

async function pay(amount: number): Promise<string> {
  const { walletId } = given.connection;
  const { payoutId = "" } = await post("POST /payouts", {}, { walletId, externalAccountId, amount });
  return payoutId;
}

const view = async (payoutId: string) =>
  (await program.call("GET /payouts/{payoutId}", { path: { payoutId } })).body.data;

it("the operator makes a file of what waits, and reads it", async () => {
  const payoutId = await pay(1_000);
  const { programId } = given.connection;
  await given.operate("send-payments", { programId });
  const { items } = await given.operate("list-payment-files", { programId });
  expect(items).toMatchObject([{ kind: "pain.001", count: 1, sum: 1_000 }]);
  const { fileId = "" } = items[0] ?? {};
  expect((await given.operate("view-payment-file", { fileId })).xml).toContain("DE89370400440532013000");
  expect(await view(payoutId)).toMatchObject({ status: "sent", fileId });
});

it("the sandbox makes one at once, and shows it", async () => {
  const payoutId = await pay(2_000);
  const { files } = (await post("POST /payment-files", {}, {})) as unknown as { files: object[] };
  expect(files).toMatchObject([{ count: 1, sum: 2_000, xml: expect.stringContaining("20.00") }]);
  expect(await view(payoutId)).toMatchObject({ status: "sent" });
});

it("the cut-off of the hour makes one by itself", async () => {
  const payoutId = await pay(3_000);
  await given.platform.clock.advance(2 * hourMs);
  await vi.waitFor(async () => expect(await view(payoutId)).toMatchObject({ status: "sent" }), patience);
});
