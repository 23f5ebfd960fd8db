/** `Map.groupBy`, which Node 20 has not. */
export const groupBy = <TItem, TKey>(
  items: Iterable<TItem>,
  keyOf: (item: TItem) => TKey,
): Map<TKey, TItem[]> => {
  const groups = new Map<TKey, TItem[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
};
