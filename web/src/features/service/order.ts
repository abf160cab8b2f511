/**
 * Returns the sort numbers of items in a new order. The existing numbers are reassigned, so that only items between the
 * old and the new place of a moved item change. Duplicate numbers are increased.
 */
export function placesOf(order: readonly { sort: number }[]): number[] {
  const places: number[] = [];
  for (const sort of order.map((one) => one.sort).sort((a, b) => a - b)) {
    places.push(Math.max(sort, (places.at(-1) ?? sort - 1) + 1));
  }
  return places;
}
