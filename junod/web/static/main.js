import {render, html} from './vendor/preact.js';
import {App} from './app.js';
import {loadEar} from './ear.js';
import {api} from './api.js';
import {loadLearned} from './household.js';
import {follow} from './live.js';
import {app, touch} from './state.js';
import * as toasts from './toasts.js';
import {ruleHeard, ruleUnclear} from './views/learned.js';

function readRoute() {
  const [name, id = ''] = location.hash.replace(/^#/, '').split('/');
  app.set({route: {name: name || 'home', id: decodeURIComponent(id)}});
}

function onEvent(name, data) {
  switch (name) {
    case 'saved': toasts.saved(data.memory, data.repeats); break;
    case 'merged': toasts.replaced(data.superseded, data.memory); break;
    case 'changed': toasts.settled(data.superseded ?? []); break;
    case 'gone': toasts.gone(data.ids); break;
    case 'rule': ruleHeard(data); return;
    case 'asked': ruleUnclear(data); return;
    case 'learned': loadLearned(); return;
    case 'due': toasts.due(data); return;
    case 'ear': app.set({ear: data.snapshot, earAt: performance.now()}); return;
    case 'beat': loadEar(); return;
    default: // 'reset': something may be missing, so everything is asked anew
  }
  touch();
}

function onConnection(isConnected) {
  const hasReturned = isConnected && !app.get().isConnected;
  app.set({isConnected});
  if (hasReturned) touch();
}

/** At the very first start the set-up is what somebody wants to see, once. */
async function welcome() {
  if (location.hash || localStorage.getItem('junod.welcomed')) return;
  const setup = await api.setup().catch(() => null);
  if (setup?.is_first_run && setup.path) {
    localStorage.setItem('junod.welcomed', 'yes');
    location.hash = '#setup';
  }
}

app.watch(() => {
  const {isNight, ear} = app.get();
  document.documentElement.dataset.light = isNight ? 'night' : 'day';
  document.documentElement.dataset.ear = ear?.state ?? 'unknown';
});
addEventListener('hashchange', readRoute);
readRoute();
render(html`<${App} />`, document.getElementById('app'));
follow(onEvent, onConnection);
welcome();
