import { test } from "vitest";
import { expectWholeList, givenStatement, orders } from "./given-statement.ts";

const statement = await givenStatement();

test.each(orders)(
  "200: pages of any size by %s %s are the whole list, the aggregate line included",
  (orderBy, sort) => expectWholeList(statement, orderBy, sort, [1, 2, 4, 200]),
);
