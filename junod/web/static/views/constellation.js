// Memories and what they share, as stars that find their places and then stand still.
import {html, useEffect, useMemo, useRef, useState} from '../vendor/preact.js';
import {get} from '../api.js';
import {Icon, Problem, useLoaded} from '../parts.js';
import {useApp} from '../state.js';
import {T} from '../texts.js';

const RADIUS = {memory: 5, person: 11, place: 10, thing: 8};
const REACH_PX = 44; // a wet finger need not hit the star itself
const MARGIN = {x: 90, y: 40};
const LEAST_WIDTH = 620; // a few stars are not blown up to fill the sky
const FEW = 60; // so many memories can carry their words
const isCalm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

export function Constellation() {
  const revision = useApp(state => state.revision);
  const {data, error, reload} = useLoaded(() => get('/api/constellation'), [revision]);
  const [chosen, setChosen] = useState('');
  const neighbours = useMemo(() => neighboursOf(data?.links ?? []), [data]);
  const byId = useMemo(() => new Map(data?.nodes.map(node => [node.id, node])), [data]);
  const node = byId.get(chosen);
  return html`
    <header class="view-head"><h1>${T.constellation.title}</h1><p class="quiet">${T.constellation.intro}</p></header>
    <${Problem} error=${error} retry=${reload} />
    ${data?.nodes.length === 0 && html`<p class="nothing"><strong>${T.constellation.empty}</strong> ${T.constellation.emptyHint}</p>`}
    ${data?.nodes.length > 0 && html`<div class="sky">
      <${Sky} nodes=${data.nodes} links=${data.links} neighbours=${neighbours} chosen=${chosen} choose=${setChosen} />
      <aside class="sky-side" aria-live="polite">
        ${node && html`<${Star} node=${node} around=${[...(neighbours.get(chosen) ?? [])].map(id => byId.get(id)).filter(Boolean)} choose=${setChosen} />`}
      </aside>
    </div>`}`;
}

function neighboursOf(links) {
  const all = new Map();
  const add = (from, to) => all.set(from, (all.get(from) ?? new Set()).add(to));
  for (const {source, target} of links) {
    add(source, target);
    add(target, source);
  }
  return all;
}

const Legend = ({nodes}) => html`<ul class="legend" role="list">
  ${['memory', 'person', 'place', 'thing'].filter(kind => nodes.some(node => node.kind === kind)).map(kind => html`
    <li key=${kind}><span class=${`dot dot-${kind}`} aria-hidden="true"></span>${T.constellation.kinds[kind]}</li>`)}
</ul>`;

function Star({node, around, choose}) {
  return html`<section class="star">
    <p class="star-kind">${T.constellation.kinds[node.kind]}</p>
    <h2 dir="auto">${node.label}</h2>
    ${node.kind === 'memory' && html`<a class="button primary" href=${`#memory/${node.id}`}>${T.constellation.open}</a>`}
    ${around.length === 0 ? html`<p class="quiet">${T.constellation.alone}</p>` : html`
      <h3>${T.constellation.near}</h3>
      <ul class="near">${around.map(other => html`<li key=${other.id}>
        ${other.kind === 'memory'
          ? html`<a class="button" dir="auto" href=${`#memory/${other.id}`}>${other.label}</a>`
          : html`<button type="button" class="button" dir="auto" onClick=${() => choose(other.id)}>${other.label}</button>`}
      </li>`)}</ul>`}
  </section>`;
}

function Sky({nodes, links, neighbours, chosen, choose}) {
  const svg = useRef(null);
  const [isSettled, setSettled] = useState(false);
  const [zoom, setZoom] = useState(1);
  const places = useRef(new Map());
  const index = useMemo(() => new Map(nodes.map((node, at) => [node.id, at])), [nodes]);
  const near = neighbours.get(chosen);

  useEffect(() => {
    setSettled(false);
    const worker = new Worker('/static/layout-worker.js', {type: 'module'});
    const {width, height} = svg.current.getBoundingClientRect();
    worker.onmessage = ({data: {xy, isLast}}) => {
      if (!svg.current || (!isLast && isCalm())) return; // the view may be gone before its worker is
      nodes.forEach((node, at) => places.current.set(node.id, [xy[2 * at], xy[2 * at + 1]]));
      draw(svg.current, nodes, links, places.current);
      if (isLast) {
        setSettled(true);
        worker.terminate();
      }
    };
    worker.postMessage({
      nodes: nodes.map(({id, kind}) => ({radius: RADIUS[kind], at: places.current.get(id) ?? null})),
      links: links.filter(link => index.has(link.source) && index.has(link.target))
        .map(link => ({source: index.get(link.source), target: index.get(link.target)})),
      isSparse: nodes.length <= FEW,
      ratio: width / Math.max(1, height),
    });
    return () => worker.terminate();
  }, [nodes, links]);

  useEffect(() => look(svg.current, places.current, zoom, chosen), [zoom, chosen, isSettled]);

  const onClick = event => {
    const hit = nearest(svg.current, places.current, event.clientX, event.clientY);
    if (hit) choose(hit);
  };
  const onKeyDown = event => {
    const way = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[event.key];
    const kind = nodes[index.get(chosen)]?.kind;
    if (event.key === 'Enter' && kind === 'memory') location.hash = `#memory/${chosen}`;
    if (!way) return;
    event.preventDefault();
    choose(chosen ? towards(places.current, chosen, way) ?? chosen : nodes[0].id);
  };
  const isSparse = nodes.length <= FEW;
  return html`<div class="sky-box">
    <svg ref=${svg} class=${`stars ${isSettled ? 'settled' : ''}`} role="group" tabindex="0" aria-label=${T.constellation.map}
      onClick=${onClick} onKeyDown=${onKeyDown} preserveAspectRatio="xMidYMid meet">
      <g class="links">${links.map((link, at) => html`<line key=${at}
        class=${near && (link.source === chosen || link.target === chosen) ? 'lit' : ''}></line>`)}</g>
      <g class="nodes">${nodes.map(node => html`
        <g key=${node.id} class=${`node ${node.kind} ${node.id === chosen ? 'chosen' : near?.has(node.id) ? 'near' : chosen ? 'dim' : ''}`}>
          ${node.kind === 'memory'
            ? html`<circle r=${RADIUS.memory}></circle>${(isSparse || node.id === chosen) && html`<text y=${RADIUS.memory + 16}>${short(node.label)}</text>`}`
            : html`<circle r=${RADIUS[node.kind]}></circle><text y=${-RADIUS[node.kind] - 6}>${short(node.label)}</text>`}
        </g>`)}</g>
    </svg>
    <${Legend} nodes=${nodes} />
    ${!isSettled && html`<p class="sky-wait">${T.constellation.drawing}</p>`}
    <div class="sky-zoom">
      <button type="button" class="button" aria-label=${T.constellation.closer} onClick=${() => setZoom(Math.min(8, zoom * 1.6))}><${Icon} name="plus" /></button>
      <button type="button" class="button" aria-label=${T.constellation.wider} onClick=${() => setZoom(Math.max(1, zoom / 1.6))}><${Icon} name="minus" /></button>
    </div>
  </div>`;
}

const short = label => (label.length > 24 ? label.slice(0, 23) + '…' : label);

/** Put every star and line where it belongs; done by hand, as 500 of them move together. */
function draw(svg, nodes, links, places) {
  const stars = svg.querySelectorAll('.node');
  nodes.forEach((node, at) => {
    const [x, y] = places.get(node.id);
    stars[at].setAttribute('transform', `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
  });
  const lines = svg.querySelectorAll('line');
  links.forEach((link, at) => {
    const [from, to] = [places.get(link.source), places.get(link.target)];
    if (!from || !to) return;
    for (const [name, value] of [['x1', from[0]], ['y1', from[1]], ['x2', to[0]], ['y2', to[1]]]) lines[at].setAttribute(name, value.toFixed(1));
  });
  look(svg, places, 1, '');
}

/** Show all of it, or a part of it around the chosen star. */
function look(svg, places, zoom, chosen) {
  if (!svg || places.size === 0) return;
  const all = [...places.values()];
  const [xs, ys] = [all.map(place => place[0]), all.map(place => place[1])];
  const box = {left: Math.min(...xs) - MARGIN.x, top: Math.min(...ys) - MARGIN.y, right: Math.max(...xs) + MARGIN.x, bottom: Math.max(...ys) + MARGIN.y};
  const width = Math.max(LEAST_WIDTH, box.right - box.left) / zoom;
  const height = Math.max(LEAST_WIDTH / 2, box.bottom - box.top) / zoom;
  const [x, y] = (zoom > 1 && places.get(chosen)) || [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  svg.setAttribute('viewBox', `${x - width / 2} ${y - height / 2} ${width} ${height}`);
}

function nearest(svg, places, clientX, clientY) {
  const matrix = svg.getScreenCTM();
  const at = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse());
  let best = '', least = REACH_PX / matrix.a;
  for (const [id, [x, y]] of places) {
    const away = Math.hypot(x - at.x, y - at.y);
    if (away < least) [best, least] = [id, away];
  }
  return best;
}

/** The nearest star in this direction, from the chosen one. */
function towards(places, from, [dx, dy]) {
  const [x0, y0] = places.get(from);
  let best, least = Infinity;
  for (const [id, [x, y]] of places) {
    const ahead = (x - x0) * dx + (y - y0) * dy;
    const aside = Math.abs((x - x0) * dy) + Math.abs((y - y0) * dx);
    if (id !== from && ahead > 0.5 && ahead + 2 * aside < least) [best, least] = [id, ahead + 2 * aside];
  }
  return best;
}
