// The daemon's events, taken up again after a break where they ended, so that no toast is lost. The browser's own
// EventSource gives up at the first refused answer and then forgets its place; hence fetch and a parser.
import {createParser} from './vendor/eventsource-parser.js';

const SILENCE_MS = 40000; // the daemon says something every 15 s
const PAUSES_MS = [500, 1000, 2000, 4000];
const PLACE = 'junod.last-event';

/** Follow for ever. onEvent(name, data); onConnection(isThere) at each change. */
export async function follow(onEvent, onConnection) {
  let failures = 0;
  for (;;) {
    try {
      await followOnce(onEvent, () => {
        failures = 0;
        onConnection(true);
      });
    } catch {
      // gone, restarting or refusing: the reason does not matter, it is asked again
    }
    failures += 1;
    sessionStorage.setItem(PLACE, sessionStorage.getItem(PLACE) ?? '0');
    if (failures > 1) onConnection(false);
    await pause(PAUSES_MS[Math.min(failures - 1, PAUSES_MS.length - 1)]);
  }
}

async function followOnce(onEvent, onOpen) {
  const ending = new AbortController();
  const place = sessionStorage.getItem(PLACE);
  let timer = setTimeout(() => ending.abort(), SILENCE_MS);
  try {
    const response = await fetch('/api/events', {
      signal: ending.signal,
      cache: 'no-store',
      headers: place === null ? {} : {'Last-Event-ID': place},
    });
    if (response.status === 401) location.assign('/pair');
    if (!response.ok) throw new Error(`status ${response.status}`);
    const parser = createParser({
      onEvent(event) {
        if (event.id) sessionStorage.setItem(PLACE, event.id);
        onEvent(event.event, JSON.parse(event.data || '{}'));
      },
    });
    onOpen();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const {done, value} = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => ending.abort(), SILENCE_MS);
      parser.feed(value);
    }
  } finally {
    clearTimeout(timer);
    ending.abort();
  }
}

/** So long, or until there is reason to think that the daemon is back. */
function pause(ms) {
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener('online', end);
      document.removeEventListener('visibilitychange', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener('online', end);
    document.addEventListener('visibilitychange', end);
  });
}
