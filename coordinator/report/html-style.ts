/** The style of the HTML report: light or dark as the reader's system, narrow screens, and paper. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --raised: #f5f6f8; --text: #1b1f24; --quiet: #59626d; --rule: #d5dae0;
  --bad: #b3261e; --bad-ground: #fdecea; --good: #1a7037; --link: #0b57d0;
  --s1: #0b57d0; --s2: #c4550a; --s3: #6d3fc0;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171a; --raised: #1d2226; --text: #e4e7ea; --quiet: #a0a9b3; --rule: #3a424a;
    --bad: #ff8a80; --bad-ground: #3b1a18; --good: #7bd492; --link: #8ab4f8;
    --s1: #7fb0ff; --s2: #ffab66; --s3: #c3a6ff;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.5rem clamp(0.75rem, 3vw, 2rem) 3rem; max-width: 76rem;
  background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
}
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 0.75rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.25rem 0 0.5rem; overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin: 1.5rem 0 0.25rem; }
p { margin: 0.5rem 0; }
a { color: var(--link); }
.quiet { color: var(--quiet); font-size: 0.875rem; }
.bad { color: var(--bad); }
.good { color: var(--good); }
dl { display: grid; grid-template-columns: minmax(7.5rem, max-content) 1fr; gap: 0.15rem 1rem; margin: 0.5rem 0; }
dt { color: var(--quiet); grid-column: 1; }
dd { margin: 0; grid-column: 2; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
dt.bad { color: var(--bad); font-weight: 600; }
.alert { margin-top: 2.25rem; border-left: 4px solid var(--bad); background: var(--bad-ground); padding: 0.4rem 1rem; border-radius: 0 6px 6px 0; }
.alert h2 { margin: 0.25rem 0; font-size: 1rem; }
.scroll { overflow-x: auto; margin: 0.5rem 0; }
.scroll:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.9375rem; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
th, td { padding: 0.3rem 0.9rem 0.3rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--rule); white-space: nowrap; }
thead th { color: var(--quiet); font-weight: 600; font-size: 0.8125rem; border-bottom-width: 2px; vertical-align: bottom; }
tbody th { font-weight: 500; }
.number { text-align: right; padding: 0.3rem 0 0.3rem 1.1rem; }
.number + :not(.number) { padding-left: 1.4rem; }
td small { display: block; color: var(--quiet); font-size: 0.78rem; }
details.trial { border: 1px solid var(--rule); border-radius: 8px; margin: 0.6rem 0; background: var(--raised); }
details.trial > summary { cursor: pointer; padding: 0.55rem 0.9rem; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
details.trial > summary:focus-visible { outline: 2px solid var(--link); }
details.trial > summary b { font-weight: 600; }
details.trial > div { padding: 0 0.9rem 0.9rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 27rem), 1fr)); gap: 1rem 1.5rem; margin: 1rem 0; }
figure { margin: 0; }
figcaption { font-size: 0.875rem; font-weight: 600; }
svg { display: block; width: 100%; max-width: 40rem; height: auto; }
svg text { font-size: 11px; fill: var(--quiet); }
svg .end { text-anchor: end; }
svg .middle { text-anchor: middle; }
svg .grid { stroke: var(--rule); stroke-width: 1; }
svg .axis { stroke: var(--quiet); stroke-width: 1; }
svg .line { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
svg .s1 { stroke: var(--s1); }
svg .s2 { stroke: var(--s2); stroke-dasharray: 6 3; }
svg .s3 { stroke: var(--s3); stroke-dasharray: 2 3; }
svg .mark { fill: var(--bad); }
footer { margin-top: 3rem; color: var(--quiet); font-size: 0.875rem; border-top: 1px solid var(--rule); padding-top: 0.75rem; }
@media (max-width: 36rem) {
  dl { grid-template-columns: 1fr; gap: 0; }
  dt, dd { grid-column: 1; }
  dd { margin-bottom: 0.4rem; }
  svg text { font-size: 13px; }
}
@media print {
  :root { --ground: #ffffff; --raised: #ffffff; --text: #000000; --quiet: #444444; --rule: #bbbbbb;
    --bad: #9b1c15; --bad-ground: #ffffff; --good: #1a7037; --link: #000000; --s1: #0b57d0; --s2: #b84e06; --s3: #5f33b0; }
  html { font-size: 9.5pt; }
  body { max-width: none; padding: 0; }
  details::details-content { content-visibility: visible; }
  .scroll { overflow: visible; }
  figure, tr, details.trial > summary { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
}
`;
