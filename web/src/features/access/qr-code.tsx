import { encode } from 'uqr';

const QUIET_ZONE = 4;

/** Black on white in every theme, as cameras expect. */
export function QrCode({ text, label, size = 180 }: { text: string; label: string; size?: number }) {
  const { data, size: modules } = encode(text, { border: QUIET_ZONE, ecc: 'M' });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg
      role="img"
      aria-label={label}
      width={size}
      height={size}
      viewBox={`0 0 ${modules} ${modules}`}
      shapeRendering="crispEdges"
    >
      <rect width={modules} height={modules} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
