/**
 * The sort number that each takes when they stand in this order: the numbers that there are, handed out anew, so that
 * only those between the old and the new place of what was moved are changed. Numbers held twice give way upwards.
 */
export function placesOf(order: readonly { sort: number }[]): number[] {
  const places: number[] = [];
  for (const sort of order.map((one) => one.sort).sort((a, b) => a - b)) {
    places.push(Math.max(sort, (places.at(-1) ?? sort - 1) + 1));
  }
  return places;
}
