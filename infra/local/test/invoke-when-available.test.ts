import { describe, expect, it } from "vitest";
import { invokeWhenAvailable } from "../events/invocations.ts";
import { InvocationRejected } from "../interfaces.ts";

describe("an invocation that waits for room", () => {
  it("is tried until the function takes it, and answers what that one answered", async () => {
    const asked: unknown[] = [];
    const invoke = async (name: string, event: unknown) => {
      asked.push([name, event]);
      if (asked.length < 3) throw new InvocationRejected("TooManyRequestsException", "Rate Exceeded.");
      return { payload: "done", functionError: "Unhandled" as const };
    };
    const result = await invokeWhenAvailable({ invoke }, "worker", { Records: [] });
    expect(result).toEqual({ payload: "done", functionError: "Unhandled" });
    expect(asked).toEqual(Array(3).fill(["worker", { Records: [] }]));
  });

  it.each([
    new InvocationRejected("ResourceNotFoundException", "no such function"),
    new Error("the pool broke"),
  ])("is not tried again after: %s", async (error) => {
    const asked: string[] = [];
    const invoke = (name: string) => {
      asked.push(name);
      return Promise.reject(error);
    };
    await expect(invokeWhenAvailable({ invoke }, "worker", {})).rejects.toBe(error);
    expect(asked).toHaveLength(1);
  });
});
