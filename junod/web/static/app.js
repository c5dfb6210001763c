import {html, useEffect, useLayoutEffect, useRef} from './vendor/preact.js';
import {Bar} from './ear.js';
import {refreshHome} from './household.js';
import {Icon} from './parts.js';
import {app, useApp} from './state.js';
import {T} from './texts.js';
import {Toasts} from './toasts.js';
import {Home} from './views/home.js';
import {Memories} from './views/memories.js';
import {MemoryView} from './views/memory.js';
import {Constellation} from './views/constellation.js';
import {Trust} from './views/trust.js';
import {Setup} from './views/setup.js';

const VIEWS = {home: Home, memories: Memories, memory: MemoryView, constellation: Constellation, trust: Trust, setup: Setup};

export function App() {
  const route = useApp(state => state.route);
  useApp(state => state.zone); // every time of day is said anew once it is known where this is
  const View = VIEWS[route.name] ?? Home;
  const main = useRef(null);
  const isFirst = useRef(true);
  useEffect(refreshHome, []);
  // Before the view is painted: a key pressed at the sight of it must not be overtaken by the focus.
  useLayoutEffect(() => {
    document.title = `junod · ${T.nav[route.name] ?? T.memory.title}`;
    main.current.scrollTop = 0;
    // Whoever uses a keyboard or listens goes on at the top of the new view.
    if (!isFirst.current) main.current.focus({preventScroll: true});
    isFirst.current = false;
  }, [route.name, route.id]);
  return html`
    <a class="skip" href="#main" onClick=${event => { event.preventDefault(); main.current.focus(); }}>${T.skip}</a>
    <${Gone} />
    <main id="main" class=${`view view-${route.name}`} tabindex="-1" ref=${main}>
      <${View} key=${route.name + route.id} id=${route.id} />
    </main>
    <${Toasts} />
    <${Bar} />`;
}

/** Says that the daemon is away, for as long as it is. */
function Gone() {
  const isConnected = useApp(state => state.isConnected);
  return html`<div role="alert" class="gone-region">
    ${!isConnected && html`<div class="gone"><${Icon} name="mic-off" /><p><strong>${T.gone.title}</strong> ${T.gone.text}</p></div>`}
  </div>`;
}
