import { expect, test } from "vitest";
import { auditBooks } from "../harness/audit-books.ts";
import { givenProgram } from "../harness/given-cards.ts";
import { fuzz } from "../tools/fuzz/fuzz.ts";

const requests = 1_200;

test("no request, however hostile, breaks an endpoint, shows another Tenant's data or upsets the books", async () => {
  const settings = { threeDSecure: true };
  const result = await fuzz({
    attackers: {
      automatic: await givenProgram({ settings }),
      manual: await givenProgram({ settings: { ...settings, issuanceApproval: 1 } }),
    },
    victim: await givenProgram({ settings }),
    requests,
    seed: 20_261_120,
    concurrency: 4,
  });
  expect(result.faults).toEqual([]);
  expect([...result.statuses.values()].reduce((sum, count) => sum + count)).toBe(requests);
  for (const status of [200, 400, 404, 409, 422]) expect(result.statuses.get(status)).toBeGreaterThan(0);
  const books = await auditBooks();
  expect(books.faults).toEqual([]);
  expect(books.entries).toBeGreaterThan(0);
}, 240_000);
