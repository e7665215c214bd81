import { programs } from "../../shared/tenancy/programs/program.ts";
import { tenants } from "../../shared/tenancy/tenant.ts";
import { type Link, toHref } from "./page.ts";
import { findName, recordViews } from "./record-views.ts";
import { findPageKind, hrefOfId } from "./values.ts";

/** The Tenant, the Program and the record whose page it is, such as a Card, by their names. */
export async function programTrail(programId: string, ownerId?: string): Promise<Link[]> {
  const program = await programs.at(programId).get();
  return [
    ...(program ? await tenantTrail(program.tenantId) : []),
    { text: program?.name ?? programId, href: toHref(["programs", programId]) },
    ...(ownerId === undefined ? [] : [await ownerLink(programId, ownerId)]),
  ];
}

export async function tenantTrail(tenantId: string): Promise<Link[]> {
  const tenant = await tenants.at(tenantId).get();
  return [{ text: tenant?.name ?? tenantId, href: toHref(["tenants", tenantId]) }];
}

/** What has a list or a journal, by its name: a Card, a Wallet or another record. */
export async function ownerLink(programId: string, ownerId: string): Promise<Link> {
  const kind = findPageKind(ownerId);
  const view = kind === undefined ? undefined : recordViews[kind];
  const record = await view?.read(programId, ownerId);
  const name = kind === undefined || !record ? "" : findName(kind, record);
  return { text: name === "" ? ownerId : `${view?.title} ${name}`, href: hrefOfId(ownerId, programId) };
}
