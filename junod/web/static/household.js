// Keeps what the home view shows, and asks, up to date, on every view: night and the clock belong to all of them.
import {api} from './api.js';
import {app} from './state.js';

const SETTLE_MS = 120; // several changes at once are one question
let asked = 0, askedLearned = 0;

export async function loadHome() {
  const mine = ++asked;
  const home = await api.home().catch(() => null);
  if (home === null || mine !== asked) return;
  app.set({
    home,
    ear: home.ear,
    earAt: performance.now(),
    zone: home.zone,
    clockOffsetMs: new Date(home.now) - Date.now(),
    isNight: home.night,
  });
}

export async function loadLearned() {
  const mine = ++askedLearned;
  const learned = await api.learned().catch(() => null);
  if (learned !== null && mine === askedLearned) app.set({learned});
}

function load() {
  loadHome();
  loadLearned();
}

/** Ask now, whenever memories change, and with each new minute. Returns what ends it. */
export function refreshHome() {
  let settling, minute;
  let revision = app.get().revision;
  const onMinute = () => {
    minute = setTimeout(onMinute, 60050 - ((Date.now() + app.get().clockOffsetMs) % 60000));
    load();
  };
  const unwatch = app.watch(() => {
    if (app.get().revision === revision) return;
    revision = app.get().revision;
    clearTimeout(settling);
    settling = setTimeout(load, SETTLE_MS);
  });
  onMinute();
  return () => {
    unwatch();
    clearTimeout(settling);
    clearTimeout(minute);
  };
}
