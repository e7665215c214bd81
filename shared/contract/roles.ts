import * as z from "zod";
import { besideOtherFaults, text } from "./primitives.ts";
import { type Access, operationId, type Route } from "./route.ts";

/** What a key may call. `custom` may call its `operations`. */
export const Role = z.enum(["everything", "read_only", "no_reveal", "no_money", "custom"]);
export type Role = z.output<typeof Role>;

/**
 * An operation's id, `cards:read` for what reads of a resource, or `cards:*` for all of it but what
 * reveals.
 */
const operations = z.array(text(64)).min(1).max(100);

/** Given when a key is made or changed. */
export const roleFields = { role: Role.optional(), operations: operations.optional() };

/** As views show it. */
export const roleView = { role: Role, operations: z.array(z.string()).optional() };

interface RoleFields {
  readonly role?: unknown;
  readonly operations?: unknown;
}

/** Only `custom` has operations, and it has some. */
export const operationsFitRole: [(fields: RoleFields) => boolean, object] = [
  ({ role, operations: listed }: RoleFields) => (role === "custom") === (listed !== undefined),
  {
    path: ["operations"],
    message: "is required with the role custom, and for no other role",
    when: besideOtherFaults,
  },
];

/** What a key has of them. None: everything, as the keys from before roles. */
export interface Rights {
  readonly role?: Role | undefined;
  readonly operations?: readonly string[] | undefined;
}

const refused: Readonly<Record<Exclude<Role, "custom">, readonly Access[]>> = {
  everything: [],
  read_only: ["write", "money", "reveal"],
  no_reveal: ["reveal"],
  no_money: ["money"],
};

/** Whether the operation is open to the key. */
export function mayCall({ role = "everything", operations: listed = [] }: Rights, route: Route): boolean {
  if (role !== "everything" && route.changesKeys) return false;
  if (role !== "custom") return !refused[role].includes(route.access);
  const names = namesOf(route);
  return listed.some((one) => names.includes(one));
}

/** Whether what the body of an operation asks for may move money, or commit it. */
export function mayMoveMoney({ role }: Rights): boolean {
  return role !== "no_money";
}

/** What `operations` may call it: by its id, or with others of its resource. */
export function namesOf(route: Route): string[] {
  return [
    operationId(route),
    ...(route.access === "read" ? [`${route.function}:read`] : []),
    ...(route.access === "reveal" ? [] : [`${route.function}:*`]),
  ];
}
