import { expect, it } from "vitest";
import { programRulebooks } from "../../../shared/controls/rulebooks.ts";
import { givenProgram } from "../../harness/given-cards.ts";

it("another time zone is beside the controls from then on: limits of Cards read it there", async () => {
  const { programId, call } = await givenProgram({ settings: { timeZone: "Asia/Kolkata" } });
  const rulebook = programRulebooks.at(programId);
  const put = (body: object) =>
    call("PUT /account/programs/{programId}/settings", { path: { programId }, body });
  await put({ timeZone: "Asia/Kolkata", renewalReminder: true });
  expect(await rulebook.get()).toBeUndefined();
  await put({ timeZone: "Asia/Tokyo" });
  expect(await rulebook.get()).toMatchObject({ version: 1, controls: [], laterTimeZone: "Asia/Tokyo" });
  const controls = [{ controlId: "con_1", countsFrom: "2026-01-01T00:00:00.000Z" }];
  await rulebook.updateNow({ set: { controls, version: 2 } });
  await put({ timeZone: "Etc/UTC" });
  expect(await rulebook.get()).toMatchObject({ version: 3, controls, laterTimeZone: "Etc/UTC" });
});
