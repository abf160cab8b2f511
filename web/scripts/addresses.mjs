// Writes src/data/addresses.json: every Thai subdistrict with its district, province and postal codes.
// [[province, [[district, [[postal codes joined by ",", "subdistrict|subdistrict|…"], …]], …]], …]
// Run after updating thai-address-universal: node scripts/addresses.mjs
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { getDatabase, preload } from 'thai-address-universal';

await preload({ language: 'thai' });

/** province → district → subdistrict → postal codes, the most common one first. */
const tree = new Map();
for (const row of getDatabase()) {
  const [province, district, subdistrict] = [row.province, row.district, row.sub_district].map((name) =>
    name.trim(),
  );
  // Some rows are offices or codes out of use instead of places.
  if (/[*()]/.test(subdistrict + district) || !/^\d{5}$/.test(row.postal_code)) continue;
  const districts = child(tree, province);
  const subdistricts = child(districts, district);
  subdistricts.set(subdistrict, [...new Set([...(subdistricts.get(subdistrict) ?? []), row.postal_code])]);
}

function child(map, key) {
  if (!map.has(key)) map.set(key, new Map());
  return map.get(key);
}

const inThaiOrder = ([a], [b]) => a.localeCompare(b, 'th');
const packed = [...tree].sort(inThaiOrder).map(([province, districts]) => [
  province,
  [...districts].sort(inThaiOrder).map(([district, subdistricts]) => {
    const byCodes = new Map();
    for (const [name, codes] of [...subdistricts].sort(inThaiOrder)) {
      const key = codes.join(',');
      byCodes.set(key, [...(byCodes.get(key) ?? []), name]);
    }
    return [district, [...byCodes].map(([codes, names]) => [codes, names.join('|')])];
  }),
]);

const text = JSON.stringify(packed);
writeFileSync(fileURLToPath(new URL('../src/data/addresses.json', import.meta.url)), text);
const count = [...tree.values()]
  .flatMap((districts) => [...districts.values()])
  .reduce((sum, { size }) => sum + size, 0);
console.log(
  `${count} subdistricts, ${(text.length / 1000).toFixed(0)} k characters, ${(gzipSync(text).length / 1000).toFixed(0)} kB gzipped`,
);
