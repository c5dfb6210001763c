// The bar that is always there: what the ear does, the views, and the way to make it deaf.
import {html} from './vendor/preact.js';
import {api} from './api.js';
import {Action, Icon} from './parts.js';
import {app, useApp} from './state.js';
import {T} from './texts.js';
import {note} from './toasts.js';
import {ago, clock} from './when.js';

const VIEWS = [['home', 'house'], ['memories', 'list'], ['constellation', 'waypoints'], ['trust', 'shield-check']];
const PART_OF = {memory: 'memories', setup: 'trust'};

export async function loadEar() {
  const ear = await api.ear().catch(() => null);
  if (ear) app.set({ear, earAt: performance.now()});
}

export async function switchEar(verb, body) {
  const ear = await api.switchEar(verb, body);
  app.set({ear, earAt: performance.now()});
  return ear;
}

export const tell = error => note({text: error.message, hint: error.hint, isError: true});

export function Bar() {
  const route = useApp(state => state.route);
  const here = PART_OF[route.name] ?? route.name;
  return html`<footer class="bar">
    <${EarState} />
    <nav aria-label=${T.nav.label}>
      ${VIEWS.map(([name, icon]) => html`
        <a href=${'#' + name} aria-current=${here === name ? 'page' : undefined}><${Icon} name=${icon} /><span>${T.nav[name]}</span></a>`)}
    </nav>
    <${MuteButton} />
  </footer>`;
}

function EarState() {
  const ear = useApp(state => state.ear);
  const isConnected = useApp(state => state.isConnected);
  const [title, hint] = isConnected ? describe(ear) : [T.ear.away, ''];
  return html`<div class="ear" role="status" aria-label=${T.ear.label}>
    <span class="ear-light" aria-hidden="true"></span>
    <span class="ear-words"><strong>${title}</strong>${hint && html`<small>${hint}</small>`}</span>
  </div>`;
}

function describe(ear) {
  if (!ear) return [T.ear.unknown, ''];
  const age = ear.last_audio_age_s;
  const told = age === null || age === undefined ? null : ago(age + (performance.now() - app.get().earAt) / 1000);
  const hint = {
    muted: T.ear.mutedHint,
    'off-record': ear.off_record_until && T.ear.offUntil(clock(new Date(ear.off_record_until))),
    lost: T.ear.lostHint(told),
    listening: told ? T.ear.sound(told) : T.ear.noSound,
  }[ear.state];
  return [T.ear[ear.state] ?? ear.state, hint ?? ''];
}

/** What is wrong with the ear, where it is to be read. */
export function EarProblem() {
  const problem = useApp(state => state.ear?.problem);
  return html`<div role="status">${problem && html`<p class="warning" dir="auto">${problem}</p>`}</div>`;
}

function MuteButton() {
  const ear = useApp(state => state.ear);
  const [verb, text] = ear?.muted ? ['unmute', T.ear.unmute]
    : ear?.state === 'off-record' ? ['on-record', T.ear.onRecord]
    : ['mute', T.ear.mute];
  const icon = verb === 'mute' ? 'mic' : 'mic-off';
  return html`<${Action} class="mute" icon=${icon} do=${() => switchEar(verb)} onError=${tell}>${text}<//>`;
}
