const atOnce = 8;

/** Works on eight at a time, and joins the results. */
export async function inTurns<In, Out>(
  all: readonly In[],
  work: (one: In) => Promise<readonly Out[]>,
): Promise<Out[]> {
  const found: Out[] = [];
  for (let at = 0; at < all.length; at += atOnce)
    found.push(...(await Promise.all(all.slice(at, at + atOnce).map(work))).flat());
  return found;
}
