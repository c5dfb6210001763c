// What the page knows, in one place; views watch the part they show.
import {useEffect, useState} from './vendor/preact.js';

export function createStore(initial) {
  let state = initial;
  const watchers = new Set();
  return {
    get: () => state,
    set(change) {
      state = {...state, ...(typeof change === 'function' ? change(state) : change)};
      for (const watcher of [...watchers]) watcher();
    },
    watch(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
}

export const app = createStore({
  route: {name: 'home', id: ''},
  home: null,
  learned: null,
  ear: null,
  earAt: 0, // when `ear` was told, in ms of performance.now()
  zone: undefined,
  clockOffsetMs: 0, // the daemon's clock less this device's
  isConnected: true,
  isNight: false,
  revision: 0, // grows whenever memories changed
  toasts: [],
});

/** The chosen part of the state; the component is drawn again only when that part is another. */
export function useApp(select) {
  const [value, setValue] = useState(() => select(app.get()));
  useEffect(() => {
    const look = () => setValue(() => select(app.get()));
    look();
    return app.watch(look);
  }, []);
  return value;
}

export const touch = () => app.set(state => ({revision: state.revision + 1}));
