import { beforeAll, describe, expect, test } from "vitest";
import { designTransitions } from "../../../shared/tenancy/programs/card-design.ts";
import { operate } from "../../harness/administration.ts";
import { apiEvent } from "../../harness/api-event.ts";
import { type GivenProgram, givenCard, handlerOf } from "../../harness/given-cards.ts";
import { replay } from "../../harness/replay.ts";
import { allStoredItems } from "../../harness/stored.ts";
import { expectRejected } from "../operator/expect-rejected.ts";
import { type GivenAccount, givenAccount, unchanged } from "./given-account.ts";

let account: GivenAccount;
beforeAll(async () => {
  account = await givenAccount();
});

const designs = "/account/programs/{programId}/card-designs" as const;
const submit = (programId: string, cardType: number) =>
  account.call(`POST ${designs}`, { path: { programId }, body: { cardType, name: "First" } });
const resubmit = (programId: string, cardType: number) =>
  account.call(`PUT ${designs}/{cardType}`, {
    path: { programId, cardType: `${cardType}` },
    body: { name: "Second", imageUrl: "https://cdn.example.com/second.png" },
  });
const approve = (programId: string, cardType: number) => operate("approve-design", { programId, cardType });
const reject = (programId: string, cardType: number) =>
  operate("reject-design", { programId, cardType, reason: "Too dark" });
const list = async (programId: string) =>
  (await account.call(`GET ${designs}`, { path: { programId } })).body.items;
const waiting = async (programId: string) =>
  (await operate("list-designs", { limit: 100 })).designs.filter((one) => one.programId === programId);

/** Brings a design about in each status, by legal steps alone. */
const reach = {
  0: async (programId: string) => void (await submit(programId, 1)),
  1: async (programId: string) => {
    await submit(programId, 1);
    await approve(programId, 1);
  },
  2: async (programId: string) => {
    await submit(programId, 1);
    await reject(programId, 1);
  },
};

describe("a card design", () => {
  for (const from of [0, 1, 2] as const) {
    for (const trigger of ["approve", "reject", "resubmit"] as const) {
      const step = designTransitions.find((one) => one.from === from && one.trigger === trigger);
      test(`${from}: ${trigger} ${step ? `leads to ${step.to}` : "is refused and changes nothing"}`, async () => {
        const programId = await account.newProgram();
        await reach[from](programId);
        const input = { programId, cardType: 1, reason: "Too dark" };
        if (!step && trigger === "resubmit") {
          expect(await unchanged(() => resubmit(programId, 1))).toEqual([409, "ILLEGAL_TRANSITION", true]);
        } else if (!step) {
          await expectRejected(`${trigger}-design`, input);
        } else {
          if (trigger === "resubmit") await resubmit(programId, 1);
          else await operate(`${trigger}-design`, input);
          expect(await list(programId)).toMatchObject([{ cardType: 1, status: step.to }]);
          expect((await waiting(programId)).length).toBe(step.to === 0 ? 1 : 0);
        }
      });
    }
  }

  test("says why it was rejected until it is resubmitted", async () => {
    const programId = await account.newProgram();
    await reach[2](programId);
    expect(await list(programId)).toMatchObject([{ name: "First", rejectionReason: "Too dark" }]);
    await resubmit(programId, 1);
    const [design] = await list(programId);
    expect(design).toEqual({
      cardType: 1,
      name: "Second",
      imageUrl: "https://cdn.example.com/second.png",
      status: 0,
      dateSubmitted: expect.any(String),
    });
  });

  test("409 for a slot with a design in any status; 404 to resubmit to an empty slot", async () => {
    for (const from of [0, 1, 2] as const) {
      const programId = await account.newProgram();
      await reach[from](programId);
      expect(await unchanged(() => submit(programId, 1))).toEqual([409, "ILLEGAL_TRANSITION", true]);
      expect(await unchanged(() => resubmit(programId, 2))).toEqual([404, "NOT_FOUND", true]);
      expect(await unchanged(() => resubmit(programId, 3))).toEqual([404, "NOT_FOUND", true]);
    }
  });

  test("is approved or rejected once, when both are tried at the same time", async () => {
    const programId = await account.newProgram();
    await submit(programId, 0);
    const outcomes = await Promise.allSettled([
      approve(programId, 0),
      reject(programId, 0),
      approve(programId, 0),
    ]);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test("allows issuances with its slot only while it is Approved", async () => {
    const { tenantId } = account;
    const programId = await account.newProgram();
    const caller = { programId, tenantId, currency: 0 } as const;
    const call: GivenProgram["call"] = async (route, options = {}) =>
      replay(handlerOf(route), apiEvent({ ...options, route, caller }));
    const program: GivenProgram = { programId, caller, operate, call, callAsAnother: call };
    await expect(givenCard(program)).rejects.toThrow("DESIGN_NOT_APPROVED");
    await submit(programId, 0);
    await expect(givenCard(program)).rejects.toThrow("DESIGN_NOT_APPROVED");
    await approve(programId, 0);
    const { cryptoAddresses } = await givenCard(program);
    expect(cryptoAddresses).toHaveLength(3);
  });
});

describe("the operator's own designs", () => {
  test("go into an empty slot, Approved; another cannot take its place", async () => {
    const programId = await account.newProgram();
    await operate("approve-design", { programId, cardType: 2, name: "House" });
    expect(await list(programId)).toMatchObject([{ cardType: 2, name: "House", status: 1 }]);
    await expectRejected("approve-design", { programId, cardType: 2, name: "Other" });
  });

  test("are rejected for an unknown Program or slot, and for an empty slot without a name", async () => {
    const programId = await account.newProgram();
    const unknown = "prg_00000000000000000000000000";
    await expectRejected("approve-design", { programId: unknown, cardType: 0, name: "x" });
    await expectRejected("approve-design", { programId, cardType: 3, name: "x" });
    await expectRejected("approve-design", { programId, cardType: 0 });
    expect(await allStoredItems()).not.toHaveLength(0);
  });
});
