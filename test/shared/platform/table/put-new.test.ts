import { describe, expect, test } from "vitest";
import { environment } from "../../../../shared/platform/environment.ts";
import { newId } from "../../../../shared/platform/id.ts";
import { issuingKey } from "../../../../shared/platform/table/keys.ts";
import { putNew } from "../../../../shared/platform/table/write-item.ts";
import { firstCalls, injectFaults } from "../../../harness/faults.ts";
import { storedItem } from "../../../harness/stored.ts";

const key = () => issuingKey.cardholder(newId("program"), newId("cardholder"));
const put = (at: ReturnType<typeof key>, name: string) =>
  putNew("item", environment.issuingTable, { ...at, name });

describe("the write of a new item", () => {
  test("answers nothing once it stands, and what stands there already to whoever comes later", async () => {
    const at = key();
    expect(await put(at, "first")).toBeUndefined();
    expect(await put(at, "second")).toEqual({ ...at, name: "first" });
    expect(await storedItem(at)).toEqual({ ...at, name: "first" });
  });

  test("of two at the same time is won by one", async () => {
    const at = key();
    const stored = await Promise.all(["one", "another"].map((name) => put(at, name)));
    expect(stored.filter((item) => item === undefined)).toHaveLength(1);
    expect(stored).toContainEqual(await storedItem(at));
  });

  test("whose answer is lost meets itself", async () => {
    const at = key();
    using _ = injectFaults(firstCalls(1, "timeout-after-commit"));
    expect(await put(at, "only")).toEqual({ ...at, name: "only" });
  });
});
