import { expect, test } from "vitest";
import { givenApplicant } from "./given-applicant.ts";

test("POST /account/certificates: a repetition gets the same certificate, also where the limit is reached", async () => {
  const owner = await givenApplicant();
  const body = { csr: await owner.request() };
  const send = (key: string) =>
    owner.call("POST /account/certificates", { body, headers: { "Idempotency-Key": key } });
  const [first, second] = [await send("one"), await send("two")];
  expect([first.status, second.status]).toEqual([200, 200]);
  expect((await send("three")).body.code).toBe("LIMIT_REACHED");
  const again = await send("two");
  expect([again.status, again.body.data]).toEqual([200, second.body.data]);
});
