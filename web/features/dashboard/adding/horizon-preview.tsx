const DAYS = 53;
const DAY = 10;
const TODAY_X = 90.5;
const PINS: { x: number; y: number }[] = [
  { x: 180, y: 14 },
  { x: 214, y: 36 },
  { x: 322, y: 14 },
  { x: 360, y: 36 },
];

/** Decorates the empty dashboard with a day ruler and placeholders for names. */
export function HorizonPreview() {
  return (
    <svg
      viewBox="0 0 520 96"
      preserveAspectRatio="xMinYMid slice"
      className="mx-auto block h-24 w-full max-w-[520px]"
      fill="none"
      aria-hidden="true"
    >
      {Array.from({ length: DAYS }, (_, day) => (
        <path key={day} d={`M${day * DAY + 0.5} 66.5v${day % 7 === 3 ? 9 : 4}`} stroke="var(--line-2)" />
      ))}
      <path d="M0 66.5h520" stroke="var(--line-2)" />
      {PINS.map(({ x, y }) => (
        <g key={x}>
          <path d={`M${x} ${y + 6}V66`} stroke="var(--line-2)" strokeWidth="1.25" />
          <circle cx={x} cy={y} r="4.5" stroke="var(--line-2)" strokeWidth="2.5" />
          <rect x={x + 12} y={y - 4} width="64" height="8" rx="3" fill="var(--line)" />
        </g>
      ))}
      <path d={`M${TODAY_X} 8v66`} stroke="var(--fg)" strokeWidth="1.5" />
      <rect x={TODAY_X - 29.5} y="74" width="59" height="20" rx="4" fill="var(--fg)" />
      <text
        x={TODAY_X}
        y="88"
        textAnchor="middle"
        fill="var(--bg)"
        className="font-sans text-[11.5px] font-semibold"
      >
        Today
      </text>
    </svg>
  );
}
